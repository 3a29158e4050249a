#pragma once
#include "app/server/parameters.h"
#include "engine/constrain/grammar.h"

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace fireside {
class LoadedModel;
namespace constrain {
class TokenGrammar;
}
} // namespace fireside

namespace fireside::server {

/// The form that an answer must have, as a request says it.
struct AnswerForm
{
    enum class Kind { Free, JsonObject, JsonSchema, Gbnf, Regex, Choice };
    Kind kind = Kind::Free;
    std::string source{}; // the schema, grammar or expression; of Choice a JSON list of texts
    bool lenient = false; // what cannot be expressed of a schema is left out
    std::string field{};  // of the request, for errors
    bool operator==(const AnswerForm &) const = default;
};

/// response_format of OpenAI's API; grammar and json_schema of llama.cpp's server; regex, ebnf of
/// SGLang's; structured_outputs of vLLM's, and the older guided_json, guided_regex, guided_choice
/// and guided_grammar. ApiError for two at once.
AnswerForm readForm(Parameters &parameters);
/// "text", "json_object" or "json_schema" with its schema, which OpenAI's two interfaces put into
/// different places: `of` holds "schema" and "strict".
AnswerForm formOfType(Parameters &format, Parameters *of);

/// ApiError(400) with the field's name for a form that is wrong, too large, or cannot be kept.
constrain::Grammar grammarOf(const AnswerForm &form);

/// Grammars of late requests, made ready for one model: the masks they have made are kept with
/// them. For any thread.
class Grammars
{
public:
    using Ready = std::shared_ptr<const constrain::TokenGrammar>;
    explicit Grammars(const LoadedModel &model)
        : m_model(model)
    {}
    /// `key` stands for what make() makes; `field` is told where it is too large.
    Ready of(const std::string &key, const std::string &field,
             const std::function<constrain::Grammar()> &make);
    Ready of(const AnswerForm &form); // nullptr: free

private:
    const LoadedModel &m_model;
    std::mutex m_mutex;
    std::list<std::pair<std::string, Ready>> m_ready; // the latest first
};

} // namespace fireside::server
