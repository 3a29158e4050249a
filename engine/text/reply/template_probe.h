#pragma once
#include "engine/text/chat_template.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace fireside {

/// Asks a template what it writes.
class TemplateProbe
{
public:
    TemplateProbe(const ChatTemplate &chatTemplate, std::string bosText, std::string eosText);

    /// The prompt for a reply to one question; nullopt when the template refuses.
    std::optional<std::string> prompt(const nlohmann::ordered_json &variables = {}) const;
    /// What it writes for the assistant's answer to that question: what a model that keeps to the
    /// template would have generated, without what ends its turn. `opening`: the marker that the
    /// prompt may end with though it belongs to the answer.
    std::optional<std::string> answer(const nlohmann::ordered_json &message,
                                      const nlohmann::ordered_json &variables = {},
                                      const std::string &opening = {}) const;

private:
    std::optional<std::string> render(nlohmann::ordered_json messages, bool addPrompt,
                                      const nlohmann::ordered_json &variables) const;
    std::string withoutEnd(std::string text, const nlohmann::ordered_json &variables) const;

    const ChatTemplate &m_template;
    std::string m_bos, m_eos;
};

} // namespace fireside
