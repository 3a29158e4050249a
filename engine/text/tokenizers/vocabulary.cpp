#include "engine/text/tokenizers/vocabulary.h"

#include "engine/core/error.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>

namespace fireside {
namespace {

std::size_t hashOf(std::string_view text)
{
    return std::hash<std::string_view>{}(text);
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

std::optional<std::pair<TokenId, TokenId>> Vocabulary::finish()
{
    std::size_t capacity = 16;
    while (capacity < 2 * m_tokens.size())
        capacity *= 2;
    m_slots.assign(capacity, -1);
    std::optional<std::pair<TokenId, TokenId>> duplicate;
    for (std::size_t i = 0; i < m_tokens.size(); ++i) {
        const auto id = static_cast<TokenId>(i);
        const std::string_view own = text(id);
        if (own.empty())
            continue;
        std::size_t slot = hashOf(own) & (capacity - 1);
        while (m_slots[slot] >= 0 && text(m_slots[slot]) != own)
            slot = (slot + 1) & (capacity - 1);
        if (m_slots[slot] < 0)
            m_slots[slot] = id;
        else if (!duplicate)
            duplicate = {m_slots[slot], id};
    }
    return duplicate;
}

std::optional<TokenId> Vocabulary::find(std::string_view wanted) const
{
    if (m_slots.empty() || wanted.empty() || wanted.size() > m_longest)
        return std::nullopt;
    const std::size_t mask = m_slots.size() - 1;
    for (std::size_t slot = hashOf(wanted) & mask; m_slots[slot] >= 0; slot = (slot + 1) & mask)
        if (text(m_slots[slot]) == wanted)
            return m_slots[slot];
    return std::nullopt;
}

void Vocabulary::findAll(std::span<const std::string_view> texts, std::span<TokenId> ids) const
{
    constexpr std::size_t kBatch = 64;
    const std::size_t mask = m_slots.empty() ? 0 : m_slots.size() - 1;
    std::array<std::size_t, kBatch> slots{};
    for (std::size_t begin = 0; begin < texts.size(); begin += kBatch) {
        const std::size_t count = std::min(kBatch, texts.size() - begin);
        for (std::size_t i = 0; i < count; ++i) {
            slots[i] = hashOf(texts[begin + i]) & mask;
            __builtin_prefetch(m_slots.data() + slots[i]);
        }
        for (std::size_t i = 0; i < count && mask > 0; ++i)
            if (const TokenId id = m_slots[slots[i]]; id >= 0)
                __builtin_prefetch(m_tokens.data() + id);
        for (std::size_t i = 0; i < count && mask > 0; ++i)
            if (const TokenId id = m_slots[slots[i]]; id >= 0)
                __builtin_prefetch(m_texts.data() + m_tokens[static_cast<std::size_t>(id)].begin);
        for (std::size_t i = 0; i < count; ++i) {
            const std::string_view wanted = texts[begin + i];
            TokenId &id = ids[begin + i] = -1;
            if (mask == 0 || wanted.empty() || wanted.size() > m_longest)
                continue;
            std::size_t slot = slots[i];
            while (m_slots[slot] >= 0 && text(m_slots[slot]) != wanted)
                slot = (slot + 1) & mask;
            id = m_slots[slot];
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
