#include "engine/text/tokenizers/special_tokens.h"

#include "engine/text/unicode.h"

#include <algorithm>

namespace fireside {
namespace {

bool isTrusted(const MarkedText &text, TextRange range)
{
    const auto next = std::upper_bound(
        text.untrusted.begin(), text.untrusted.end(), range.begin,
        [](std::size_t at, const MarkedText::Range &other) { return at < other.end; });
    return next == text.untrusted.end() || next->begin >= range.end;
}

/// The character that ends just before `at`; false when there is none or it is broken.
bool characterBefore(std::string_view text, std::size_t begin, std::size_t at, Utf8Step &step)
{
    std::size_t start = at;
    while (start > begin && at - start < 4) {
        --start;
        if ((static_cast<unsigned char>(text[start]) & 0xC0) != 0x80) {
            step = decodeUtf8(text.substr(0, at), start);
            return step.state == Utf8State::Valid && start + step.length == at;
        }
    }
    return false;
}

bool characterAfter(std::string_view text, std::size_t at, std::size_t end, Utf8Step &step)
{
    if (at >= end)
        return false;
    step = decodeUtf8(text.substr(0, end), at);
    return step.state == Utf8State::Valid;
}

} // namespace

SpecialTokens::SpecialTokens(std::vector<AddedToken> tokens)
    : m_tokens(std::move(tokens))
{
    for (std::size_t i = 0; i < m_tokens.size(); ++i)
        (m_tokens[i].normalized ? m_normalized : m_raw)
            .insert(m_tokens[i].text, static_cast<std::int32_t>(i));
}

void SpecialTokens::Trie::insert(const std::string &text, std::int32_t token)
{
    if (text.empty())
        return;
    std::int32_t parent = -1;
    for (const char c : text) {
        std::int32_t &first = parent < 0 ? roots[static_cast<unsigned char>(c)]
                                         : nodes[static_cast<std::size_t>(parent)].firstChild;
        std::int32_t child = first;
        while (child >= 0 && nodes[static_cast<std::size_t>(child)].byte != c)
            child = nodes[static_cast<std::size_t>(child)].nextSibling;
        if (child < 0) {
            child = static_cast<std::int32_t>(nodes.size());
            const std::int32_t sibling = first;
            first = child; // before push_back, which may move the node `first` lies in
            nodes.push_back({-1, parent < 0 ? -1 : sibling, -1, c});
        }
        parent = child;
    }
    nodes[static_cast<std::size_t>(parent)].token = token;
}

std::optional<SpecialTokens::Match> SpecialTokens::matchAt(const Trie &trie, const MarkedText &text,
                                                           TextRange within, std::size_t at) const
{
    std::optional<Match> best;
    std::int32_t node = trie.roots[static_cast<unsigned char>(text.text[at])];
    for (std::size_t end = at + 1; node >= 0; ++end) {
        const Node &here = trie.nodes[static_cast<std::size_t>(node)];
        if (here.token >= 0) {
            const AddedToken &token = m_tokens[static_cast<std::size_t>(here.token)];
            Utf8Step step;
            const bool inWord =
                token.singleWord &&
                ((characterBefore(text.text, 0, at, step) && isWordCharacter(step.codepoint)) ||
                 (characterAfter(text.text, end, text.text.size(), step) &&
                  isWordCharacter(step.codepoint)));
            if (!inWord && (!token.trustedOnly || isTrusted(text, {at, end})))
                best = Match{end, &token};
        }
        if (end >= within.end)
            break;
        node = here.firstChild;
        while (node >= 0 && trie.nodes[static_cast<std::size_t>(node)].byte != text.text[end])
            node = trie.nodes[static_cast<std::size_t>(node)].nextSibling;
    }
    return best;
}

void SpecialTokens::splitRange(const Trie &trie, const MarkedText &text, TextRange within,
                               std::vector<Piece> &out) const
{
    std::size_t done = within.begin;
    for (std::size_t at = within.begin; at < within.end;) {
        if (trie.roots[static_cast<unsigned char>(text.text[at])] < 0) {
            ++at;
            continue;
        }
        const auto match = matchAt(trie, text, within, at);
        if (!match) {
            ++at;
            continue;
        }
        std::size_t begin = at, end = match->end;
        Utf8Step step;
        while (match->token->leftStrip && characterBefore(text.text, done, begin, step) &&
               isWhiteSpace(step.codepoint))
            begin -= step.length;
        while (match->token->rightStrip && characterAfter(text.text, end, within.end, step) &&
               isWhiteSpace(step.codepoint))
            end += step.length;
        if (begin > done)
            out.push_back({{done, begin}, std::nullopt});
        out.push_back({{begin, end}, match->token->id});
        at = done = end;
    }
    if (within.end > done)
        out.push_back({{done, within.end}, std::nullopt});
}

std::vector<SpecialTokens::Piece> SpecialTokens::split(const MarkedText &text) const
{
    std::vector<Piece> raw;
    splitRange(m_raw, text, {0, text.text.size()}, raw);
    if (m_normalized.nodes.empty())
        return raw;
    std::vector<Piece> out;
    for (const Piece &piece : raw) {
        if (piece.token)
            out.push_back(piece);
        else
            splitRange(m_normalized, text, piece.range, out);
    }
    return out;
}

} // namespace fireside
