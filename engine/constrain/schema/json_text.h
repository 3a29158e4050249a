#pragma once
#include "engine/constrain/grammar.h"
#include "engine/constrain/schema/schema_document.h"
#include "engine/constrain/schema_reader.h"

#include <optional>

namespace fireside::constrain {

/// Pieces of JSON (RFC 8259) as expressions of a grammar, each made once.
class JsonText
{
public:
    JsonText(Grammar &grammar, const SchemaOptions &options)
        : m_grammar(grammar)
        , m_options(options)
    {}

    ExprId space(); // between tokens: nothing, a space, or a line end and an indent
    ExprId colon(); // with a space or none behind it
    ExprId comma();
    ExprId character(); // of a string, as it stands in the text
    ExprId string();    // any, with its quotes
    ExprId string(CharDfa dfa);
    ExprId number();
    ExprId integer();
    ExprId value();
    ExprId object();
    ExprId array();
    ExprId literal(const Json &value);
    ExprId key(const std::string &name);

private:
    ExprId shared(std::optional<RuleId> &rule, const char *name, ExprId (JsonText::*make)());
    ExprId makeString();
    ExprId makeNumber();
    ExprId makeInteger();
    ExprId makeValue();
    ExprId makeObject();
    ExprId makeArray();

    Grammar &m_grammar;
    const SchemaOptions m_options;
    std::optional<ExprId> m_space, m_colon, m_comma, m_character;
    std::optional<RuleId> m_string, m_number, m_integer, m_value, m_object, m_array;
};

} // namespace fireside::constrain
