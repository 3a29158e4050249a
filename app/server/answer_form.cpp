#include "app/server/answer_form.h"

#include "engine/constrain/constraint.h"
#include "engine/constrain/gbnf_reader.h"
#include "engine/constrain/regex_reader.h"
#include "engine/constrain/schema_reader.h"
#include "engine/engine.h"

#include <algorithm>

namespace fireside::server {
namespace {

using Form = AnswerForm::Kind;

constexpr std::size_t kMostReady = 16;  // grammars
constexpr std::size_t kMostTexts = 500; // of one answer

AnswerForm schemaForm(const json &schema, bool lenient, const std::string &field)
{
    if (!schema.is_object() && !schema.is_boolean())
        throw ApiError(400, field + " must be a JSON schema: an object, true or false", field);
    return {Form::JsonSchema, dumped(schema), lenient, field};
}

AnswerForm choiceForm(const json &list, const std::string &field)
{
    const auto isText = [](const json &one) { return one.is_string(); };
    if (!list.is_array() || list.empty() || list.size() > kMostTexts ||
        !std::all_of(list.begin(), list.end(), isText))
        throw ApiError(400,
                       field + " must be a list of 1 to " + std::to_string(kMostTexts) + " strings",
                       field);
    return {Form::Choice, dumped(list), false, field};
}

AnswerForm ofKind(Parameters &p, const char *name, Form kind)
{
    const std::string field = p.full(name);
    const json *value = p.find(name);
    if (value == nullptr)
        return {};
    if (kind == Form::Choice)
        return choiceForm(*value, field);
    if (kind == Form::JsonObject)
        return p.boolean(name).value() ? AnswerForm{Form::JsonObject, {}, false, field}
                                       : AnswerForm();
    if (kind != Form::JsonSchema)
        return {kind, p.text(name).value(), false, field};
    if (!value->is_string())
        return schemaForm(*value, false, field);
    p.text(name); // vLLM takes a schema's text as well
    return {kind, value->get<std::string>(), false, field};
}

AnswerForm structuredOutputs(const json &value)
{
    Parameters p(value, "structured_outputs");
    std::vector<AnswerForm> asked;
    for (const auto &[name, kind] :
         {std::pair("json", Form::JsonSchema), std::pair("json_object", Form::JsonObject),
          std::pair("regex", Form::Regex), std::pair("choice", Form::Choice),
          std::pair("grammar", Form::Gbnf)})
        if (const AnswerForm form = ofKind(p, name, kind); form.kind != Form::Free)
            asked.push_back(form);
    p.finish();
    if (asked.size() != 1)
        throw ApiError(400,
                       "structured_outputs must hold one of json, json_object, regex, choice and "
                       "grammar",
                       "structured_outputs");
    return asked.front();
}

AnswerForm responseFormat(const json &value)
{
    Parameters format(value, "response_format");
    const json *const named = format.find("json_schema");
    const json *const bare = format.find("schema"); // of llama.cpp's server
    std::optional<Parameters> of;
    if (named != nullptr) {
        of.emplace(*named, "response_format.json_schema");
        of->ignore("name");
        of->ignore("description");
    }
    AnswerForm form = formOfType(format, of ? &*of : bare ? &format : nullptr);
    if (bare != nullptr && form.kind == Form::JsonObject)
        form = schemaForm(*bare, false, "response_format.schema");
    else if (bare != nullptr && (of || form.kind == Form::Free))
        format.refuse("schema", "left out here");
    if (of)
        of->finish();
    format.finish();
    return form;
}

} // namespace

AnswerForm formOfType(Parameters &format, Parameters *of)
{
    const std::string type = format.text("type").value_or("");
    if (type == "text")
        return {};
    if (type == "json_object")
        return {Form::JsonObject, {}, false, format.full("type")};
    if (type != "json_schema")
        format.refuse("type", "text, json_object or json_schema");
    if (of == nullptr)
        format.refuse("json_schema", "given with the type json_schema");
    const bool strict = of->boolean("strict").value_or(false);
    return schemaForm(of->require("schema"), !strict, of->full("schema"));
}

AnswerForm readForm(Parameters &p)
{
    std::vector<AnswerForm> asked;
    const auto add = [&](AnswerForm form) {
        if (form.kind != Form::Free)
            asked.push_back(std::move(form));
    };
    if (const json *format = p.find("response_format"))
        add(responseFormat(*format));
    if (const json *outputs = p.find("structured_outputs"))
        add(structuredOutputs(*outputs));
    for (const auto &[name, kind] :
         {std::pair("json_schema", Form::JsonSchema), std::pair("guided_json", Form::JsonSchema),
          std::pair("grammar", Form::Gbnf), std::pair("guided_grammar", Form::Gbnf),
          std::pair("ebnf", Form::Gbnf), std::pair("regex", Form::Regex),
          std::pair("guided_regex", Form::Regex), std::pair("guided_choice", Form::Choice)})
        add(ofKind(p, name, kind));
    if (asked.size() > 1)
        throw ApiError(400, asked[1].field + " cannot be given together with " + asked[0].field,
                       asked[1].field);
    return asked.empty() ? AnswerForm() : asked.front();
}

constrain::Grammar grammarOf(const AnswerForm &form)
{
    switch (form.kind) {
    case Form::JsonObject:
        return constrain::anyJsonObject();
    case Form::JsonSchema:
        return constrain::readJsonSchema(form.source, {.lenient = form.lenient});
    case Form::Gbnf:
        return constrain::readGbnf(form.source);
    case Form::Regex:
        return constrain::readRegexGrammar(form.source);
    case Form::Choice:
    case Form::Free:
        break;
    }
    constrain::Grammar grammar;
    std::vector<constrain::ExprId> texts;
    for (const json &one : json::parse(form.source))
        texts.push_back(grammar.text(one.get<std::string>()));
    const constrain::RuleId root = grammar.addRule("choice");
    grammar.define(root, grammar.choice(std::move(texts)));
    grammar.setRoot(root);
    return grammar;
}

Grammars::Ready Grammars::of(const std::string &key, const std::string &field,
                             const std::function<constrain::Grammar()> &make)
{
    {
        const std::lock_guard lock(m_mutex);
        const auto known = std::find_if(m_ready.begin(), m_ready.end(),
                                        [&](const auto &one) { return one.first == key; });
        if (known != m_ready.end()) {
            m_ready.splice(m_ready.begin(), m_ready, known);
            return known->second;
        }
    }
    Ready ready;
    try {
        ready = m_model.constrained(make());
        // What cannot be followed from its start on is refused here, not in the middle of a reply.
        constrain::Constraint(ready).allowed();
    } catch (const Error &error) { // of what the client sent
        throw ApiError(400, field + ": " + error.what(), field, "invalid_schema");
    }
    const std::lock_guard lock(m_mutex);
    m_ready.emplace_front(key, ready);
    if (m_ready.size() > kMostReady)
        m_ready.pop_back();
    return ready;
}

Grammars::Ready Grammars::of(const AnswerForm &form)
{
    if (form.kind == Form::Free)
        return nullptr;
    const std::string key =
        std::to_string(static_cast<int>(form.kind)) + (form.lenient ? "~" : ":") + form.source;
    return of(key, form.field, [&] { return grammarOf(form); });
}

} // namespace fireside::server
