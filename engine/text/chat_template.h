#pragma once
#include "engine/text/marked_text.h"
#include "engine/text/reply/reply_parts.h"

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fireside {

struct ChatMessage
{
    std::string role; // "system", "user", "assistant"
    std::string content;
    std::string reasoning{}; // of assistants: what was thought before
    std::vector<ToolCall> calls{};
    /// A JSON list of the parts that the content was joined of, where they say more than their
    /// text; for templates that do not take a text alone.
    std::string parts{};
};

/// A model's own chat template (Jinja), compiled once. Immutable.
/// Limits: a million steps, depth 200, 16 MB of output, 48 MB of values, 64-bit integers and
/// range() of a million; past them Error(BadInput) says which.
class ChatTemplate
{
public:
    /// Throws Error with line and column on a syntax error.
    explicit ChatTemplate(std::string_view source);
    ~ChatTemplate();
    ChatTemplate(ChatTemplate &&) noexcept;
    ChatTemplate &operator=(ChatTemplate &&) noexcept;

    const std::string &source() const { return m_source; }

    /// bosText/eosText are what the template sees as bos_token/eos_token. Message contents (and
    /// roles) are untrusted in the result, everything the template itself writes is trusted.
    /// A template's own raise_exception(…) becomes Error(BadInput) with its message.
    MarkedText render(const std::vector<ChatMessage> &messages, bool addGenerationPrompt,
                      const std::string &bosText, const std::string &eosText) const;

    /// The general form: any JSON object as the context; every string in it is untrusted except
    /// bos_token and eos_token. `now` is an ISO time for strftime_now (the system's when absent).
    /// Templates print dicts in the order of their keys, so the context must keep it.
    /// steps, if given, becomes what the rendering took of the steps' limit.
    MarkedText render(const nlohmann::ordered_json &context, std::optional<std::string> now = {},
                      std::uint64_t *steps = nullptr) const;

private:
    struct Compiled;
    std::string m_source;
    std::unique_ptr<const Compiled> m_compiled;
};

} // namespace fireside
