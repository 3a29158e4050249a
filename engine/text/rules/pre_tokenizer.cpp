#include "engine/text/rules/pre_tokenizer.h"

#include "engine/text/rules/byte_level.h"
#include "engine/text/unicode.h"

namespace fireside {
namespace {

using Words = PreTokenizer::Words;
using Behavior = PreTokenizer::Behavior;

struct Span
{
    TextRange range;
    bool isMatch;
};

/// The piece as matches and what lies between them, both in order; empty matches only cut.
void findSpans(Regex::Matcher &matcher, std::string_view text, TextRange piece,
               std::vector<Span> &spans)
{
    const std::string_view subject = text.substr(piece.begin, piece.size());
    const auto push = [&](std::size_t begin, std::size_t end, bool isMatch) {
        if (end > begin)
            spans.push_back({{piece.begin + begin, piece.begin + end}, isMatch});
    };
    std::size_t done = 0;
    for (std::size_t from = 0; from < subject.size();) {
        const auto match = matcher.find(subject, from);
        if (!match)
            break;
        push(done, match->begin, false);
        push(match->begin, match->end, true);
        done = match->end;
        from = match->end;
        if (match->size() == 0 && from < subject.size())
            from += decodeUtf8(subject, from).length;
    }
    push(done, subject.size(), false);
}

/// The same by a property: each character that has it is a match of its own.
void findSpans(bool (*isMatch)(char32_t), std::string_view text, TextRange piece,
               std::vector<Span> &spans)
{
    std::size_t done = piece.begin;
    for (std::size_t at = piece.begin; at < piece.end;) {
        const Utf8Step step = decodeUtf8(text, at);
        if (isMatch(step.codepoint)) {
            if (at > done)
                spans.push_back({{done, at}, false});
            spans.push_back({{at, at + step.length}, true});
            done = at + step.length;
        }
        at += step.length;
    }
    if (piece.end > done)
        spans.push_back({{done, piece.end}, false});
}

/// Joins the spans the way the behaviour says.
void joinSpans(const std::vector<Span> &spans, Behavior behavior, bool invert,
               std::vector<TextRange> &out)
{
    const std::size_t firstOut = out.size();
    bool previousMatched = false;
    for (const Span &span : spans) {
        const bool matched = span.isMatch != invert;
        const bool hasPrevious = out.size() > firstOut;
        switch (behavior) {
        case Behavior::Removed:
            if (!matched)
                out.push_back(span.range);
            break;
        case Behavior::Isolated:
            out.push_back(span.range);
            break;
        case Behavior::Contiguous:
            if (hasPrevious && matched == previousMatched)
                out.back().end = span.range.end;
            else
                out.push_back(span.range);
            break;
        case Behavior::MergedWithPrevious:
            if (matched && hasPrevious && !previousMatched)
                out.back().end = span.range.end;
            else
                out.push_back(span.range);
            break;
        case Behavior::MergedWithNext:
            if (!matched && hasPrevious && previousMatched)
                out.back().end = span.range.end;
            else
                out.push_back(span.range);
            break;
        }
        previousMatched = matched;
    }
}

struct SplitStep
{
    Words words;
    bool atStart, first;

    /// find(piece, spans) → spans of a piece
    template <class Find>
    void cut(Find find, Behavior behavior, bool invert)
    {
        std::vector<TextRange> out;
        out.reserve(words.pieces.size() + words.text.size() / 4);
        std::vector<Span> spans;
        for (const TextRange piece : words.pieces) {
            spans.clear();
            find(piece, spans);
            joinSpans(spans, behavior, invert, out);
        }
        words.pieces = std::move(out);
    }

    void operator()(const PreTokenizer::Split &rule)
    {
        Regex::Matcher matcher(rule.pattern);
        cut([&](TextRange piece,
                std::vector<Span> &spans) { findSpans(matcher, words.text, piece, spans); },
            rule.behavior, rule.invert);
    }

    void operator()(const PreTokenizer::Characters &rule)
    {
        cut([&](TextRange piece,
                std::vector<Span> &spans) { findSpans(rule.isMatch, words.text, piece, spans); },
            rule.behavior, false);
    }

    void operator()(const PreTokenizer::FixedLength &rule)
    {
        std::vector<TextRange> out;
        for (const TextRange piece : words.pieces) {
            std::size_t begin = piece.begin, count = 0;
            for (std::size_t at = begin; at < piece.end;) {
                at += decodeUtf8(words.text, at).length;
                if (++count == rule.characters || at == piece.end) {
                    out.push_back({begin, at});
                    begin = at;
                    count = 0;
                }
            }
        }
        words.pieces = std::move(out);
    }

    /// Rebuilds the text from changed pieces; change(piece text, its index) gives the new text.
    template <class Change>
    void rewrite(Change change)
    {
        Words next;
        next.text.reserve(words.text.size() + words.text.size() / 4);
        next.pieces.reserve(words.pieces.size());
        for (std::size_t i = 0; i < words.pieces.size(); ++i) {
            const TextRange piece = words.pieces[i];
            const std::size_t begin = next.text.size();
            next.text.append(
                change(std::string_view(words.text).substr(piece.begin, piece.size()), i));
            next.pieces.push_back({begin, next.text.size()});
        }
        words = std::move(next);
    }

    void operator()(const PreTokenizer::Metaspace &rule)
    {
        rewrite([&](std::string_view piece, std::size_t index) {
            std::string out;
            out.reserve(piece.size() + piece.size() / 4);
            for (const char c : piece) {
                if (c == ' ')
                    out.append(rule.replacement);
                else
                    out.push_back(c);
            }
            const bool wanted =
                rule.prepend == PreTokenizer::Prepend::Always ||
                (rule.prepend == PreTokenizer::Prepend::First && first && index == 0);
            if (wanted && (atStart || index > 0) && !out.starts_with(rule.replacement))
                out.insert(0, rule.replacement);
            return out;
        });
    }

    void operator()(const PreTokenizer::PrefixSpace &)
    {
        rewrite([this](std::string_view piece, std::size_t index) {
            const bool wanted = (atStart || index > 0) && !piece.starts_with(' ');
            return (wanted ? std::string(1, ' ') : std::string()).append(piece);
        });
    }

    void operator()(const PreTokenizer::MapBytes &)
    {
        rewrite([](std::string_view piece, std::size_t) { return toByteLevel(piece); });
    }
};

} // namespace

// Not inline: GCC would warn about the parts of the step that it does not have.
void PreTokenizer::add(Step step)
{
    m_steps.push_back(std::move(step));
}

PreTokenizer::Words PreTokenizer::split(std::string text, bool atStart, bool first) const
{
    SplitStep state{{std::move(text), {}}, atStart, first};
    if (!state.words.text.empty())
        state.words.pieces.push_back({0, state.words.text.size()});
    for (const Step &step : m_steps)
        std::visit(state, step);
    if (m_bytesOut)
        state.rewrite([](std::string_view piece, std::size_t) { return fromByteLevel(piece); });
    return std::move(state.words);
}

} // namespace fireside
