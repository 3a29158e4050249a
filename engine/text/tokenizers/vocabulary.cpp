#include "engine/text/tokenizers/vocabulary.h"

#include "engine/core/error.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

namespace fireside {
namespace {

std::uint64_t wordAt(const char *at)
{
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
    return word;
}

/// Up to eight bytes as a number. The parts overlap where there are fewer.
std::uint64_t shortWord(std::string_view text)
{
    const std::size_t n = text.size();
    const auto byte = [&](std::size_t i) {
        return static_cast<std::uint64_t>(static_cast<unsigned char>(text[i])) << 8 * i;
    };
    if (n == 8)
        return wordAt(text.data());
    if (n < 4)
        return n == 0 ? 0 : byte(0) | byte(n / 2) | byte(n - 1);
    std::uint32_t first, last;
    std::memcpy(&first, text.data(), 4);
    std::memcpy(&last, text.data() + n - 4, 4);
    return first | static_cast<std::uint64_t>(last) << 8 * (n - 4);
}

/// Of more than eight bytes: products of 64 bits by 64, folded.
std::uint64_t hashOf(std::string_view text)
{
    __extension__ using Wide = unsigned __int128;
    const auto fold = [](std::uint64_t a, std::uint64_t b) {
        const Wide product = Wide{a} * b;
        return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    };
    std::uint64_t hash = text.size();
    for (std::size_t at = 0; at + 8 < text.size(); at += 8)
        hash = fold(hash ^ wordAt(text.data() + at), 0xA0761D6478BD642Fu);
    return fold(hash ^ wordAt(text.data() + text.size() - 8), 0xE7037ED1A0B428DBu);
}

bool isHtmlElement(std::string_view name)
{
    static constexpr std::array<std::string_view, 46> names{
        "a",     "abbr",    "article", "aside", "b",    "big",    "blockquote", "body",
        "br",    "caption", "center",  "cite",  "code", "dd",     "div",        "dl",
        "dt",    "em",      "footer",  "h1",    "h2",   "h3",     "h4",         "h5",
        "h6",    "head",    "header",  "hr",    "html", "i",      "img",        "li",
        "ol",    "p",       "pre",     "small", "span", "strong", "sub",        "sup",
        "table", "tbody",   "td",      "th",    "tr",   "ul"};
    static constexpr std::array<std::string_view, 4> more{"tfoot", "thead", "u", "section"};
    return std::find(names.begin(), names.end(), name) != names.end() ||
           std::find(more.begin(), more.end(), name) != more.end();
}

} // namespace

void Vocabulary::reserve(std::size_t tokens, std::size_t textBytes)
{
    m_tokens.reserve(tokens);
    m_texts.reserve(textBytes);
}

TokenId Vocabulary::add(std::string_view text, TokenKind kind)
{
    if (m_tokens.size() >= kMaxTokens)
        throwBadInput("the vocabulary has more than " + std::to_string(kMaxTokens) + " tokens");
    if (text.size() > std::numeric_limits<std::uint32_t>::max() - m_texts.size())
        throwBadInput("the vocabulary's texts are longer than 4 GB together");
    Token token;
    token.begin = static_cast<std::uint32_t>(m_texts.size());
    token.length = static_cast<std::uint32_t>(text.size());
    token.kind = kind;
    m_texts.append(text);
    m_tokens.push_back(token);
    m_longest = std::max(m_longest, text.size());
    return static_cast<TokenId>(m_tokens.size() - 1);
}

void Vocabulary::setKind(TokenId id, TokenKind kind)
{
    m_tokens[static_cast<std::size_t>(id)].kind = kind;
}

void Vocabulary::setTrustedOnly(TokenId id)
{
    m_tokens[static_cast<std::size_t>(id)].trustedOnly = true;
}

Vocabulary::Key Vocabulary::keyOf(std::string_view text)
{
    return {text.size() <= 8 ? shortWord(text) : hashOf(text),
            static_cast<std::uint32_t>(text.size())};
}

std::size_t Vocabulary::probe(std::string_view wanted, const Key &key, std::size_t slot) const
{
    for (;; slot = (slot + 1) & (m_slots.size() - 1)) {
        const Slot &here = m_slots[slot];
        if (here.id < 0 || (here.key == key && (key.length <= 8 || text(here.id) == wanted)))
            return slot;
    }
}

std::optional<std::pair<TokenId, TokenId>> Vocabulary::finish()
{
    constexpr std::size_t kAhead = 16; // slots that are asked for early
    std::size_t capacity = 16;
    while (capacity < 2 * m_tokens.size())
        capacity *= 2;
    m_slots.assign(capacity, Slot());
    std::optional<std::pair<TokenId, TokenId>> duplicate;
    std::array<Key, kAhead> keys;
    for (std::size_t i = 0; i < m_tokens.size() + kAhead; ++i) {
        if (i >= kAhead) {
            const auto id = static_cast<TokenId>(i - kAhead);
            const Key key = keys[i % kAhead];
            Slot &slot = m_slots[probe(text(id), key, slotOf(key))];
            if (key.length > 0 && slot.id < 0)
                slot = {key, id};
            else if (key.length > 0 && !duplicate)
                duplicate = {slot.id, id};
        }
        if (i < m_tokens.size()) {
            const Key &key = keys[i % kAhead] = keyOf(text(static_cast<TokenId>(i)));
            __builtin_prefetch(m_slots.data() + slotOf(key));
        }
    }
    return duplicate;
}

std::optional<TokenId> Vocabulary::find(std::string_view wanted) const
{
    if (m_slots.empty() || wanted.empty() || wanted.size() > m_longest)
        return std::nullopt;
    const Key key = keyOf(wanted);
    const TokenId id = m_slots[probe(wanted, key, slotOf(key))].id;
    return id < 0 ? std::nullopt : std::optional(id);
}

void Vocabulary::findAll(std::span<const std::string_view> texts, std::span<TokenId> ids) const
{
    constexpr std::size_t kBatch = 64;
    std::array<Key, kBatch> keys;
    std::array<const Slot *, kBatch> slots;
    std::fill(ids.begin(), ids.end(), -1);
    for (std::size_t begin = 0; begin < texts.size() && !m_slots.empty(); begin += kBatch) {
        const std::size_t count = std::min(kBatch, texts.size() - begin);
        for (std::size_t i = 0; i < count; ++i) {
            keys[i] = keyOf(texts[begin + i].substr(0, m_longest + 1));
            slots[i] = m_slots.data() + slotOf(keys[i]);
            __builtin_prefetch(slots[i]);
        }
        const auto isLong = [&](std::size_t i) { return keys[i].length > 8 && slots[i]->id >= 0; };
        for (std::size_t i = 0; i < count; ++i)
            if (isLong(i))
                __builtin_prefetch(m_tokens.data() + slots[i]->id);
        for (std::size_t i = 0; i < count; ++i)
            if (isLong(i))
                __builtin_prefetch(text(slots[i]->id).data());
        for (std::size_t i = 0; i < count; ++i) {
            const std::string_view wanted = texts[begin + i];
            const auto slot = static_cast<std::size_t>(slots[i] - m_slots.data());
            if (!wanted.empty() && wanted.size() <= m_longest)
                ids[begin + i] = m_slots[probe(wanted, keys[i], slot)].id;
        }
    }
}

bool Vocabulary::isReachable(TokenId id) const
{
    const Token &token = m_tokens[static_cast<std::size_t>(id)];
    return !token.trustedOnly && !isControl(id) && token.kind != TokenKind::Byte;
}

std::optional<TokenId> Vocabulary::findReachable(std::string_view wanted) const
{
    const auto id = find(wanted);
    return id && isReachable(*id) ? id : std::nullopt;
}

bool looksLikeMarker(std::string_view text)
{
    if (text.size() < 3)
        return false;
    if (text.front() == '[' && text.back() == ']')
        return std::any_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    if (text.front() != '<' || text.back() != '>')
        return false;
    std::string_view name = text.substr(1, text.size() - 2);
    if (name.front() == '/')
        name.remove_prefix(1);
    return !isHtmlElement(name);
}

bool isEndMarkerText(std::string_view text)
{
    if (text.size() < 4 || (text[0] != '<' && text[0] != '[' && text[0] != '_'))
        return false;
    static constexpr std::array<std::string_view, 29> texts{
        "<|eot_id|>",
        "<|eom_id|>",
        "<|eot|>",
        "<|eom|>", // Llama 3, 4
        "<|im_end|>",
        "<|endoftext|>", // ChatML, GPT
        "<|end|>",
        "<|end_of_text|>",
        "<|end_of_turn|>", // Phi, Granite, OpenChat
        "<|return|>",
        "<|call|>", // gpt-oss
        "<|calls|>",
        "<|flush|>", // Solar
        "<end_of_turn>",
        "<turn|>", // Gemma 2, 3, 4
        "<EOT>",
        "_<EOT>",
        "[EOT]",                 // CodeLlama, Falcon, Kimi
        "<｜end▁of▁sentence｜>", // DeepSeek
        "<|END_OF_TURN_TOKEN|>", // Command R
        "<end_of_utterance>",
        "<|endofturn|>", // Idefics, EXAONE
        "<|role_end|>",
        "[e~[", // Ling, MiniMax
        "[EOS]",
        "<|assistant_end|>", // Apertus
        "<|fim_pad|>",
        "<|repo_name|>",
        "<|file_sep|>"}; // what code models write behind a file
    return std::find(texts.begin(), texts.end(), text) != texts.end();
}

} // namespace fireside
