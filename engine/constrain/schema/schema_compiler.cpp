#include "engine/constrain/schema/schema_compiler.h"

#include "engine/constrain/machine.h"
#include "engine/constrain/schema/decimal.h"
#include "engine/core/error.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace fireside::constrain {
namespace {

constexpr std::size_t kMostRules = 5'000;
constexpr std::size_t kMostAlternatives = 64; // that are compared with each other
constexpr std::array<std::string_view, 7> kTypes{"null",   "boolean", "object", "array",
                                                 "number", "integer", "string"};

/// What has nothing to say besides the alternatives that were chosen and its values.
bool saysTypeAtMost(const SchemaPart &part)
{
    constexpr std::array<std::string_view, 20> kSilent{
        "type",  "enum",        "const",   "anyOf",       "oneOf",    "allOf",    "$ref",
        "$defs", "definitions", "title",   "description", "default",  "examples", "$schema",
        "$id",   "$comment",    "$anchor", "deprecated",  "readOnly", "writeOnly"};
    for (const auto &member : part.schema->items())
        if (std::find(kSilent.begin(), kSilent.end(), member.key()) == kSilent.end())
            return false;
    return true;
}

std::string typeOf(const Json &value)
{
    if (value.is_number()) {
        const double number = value.get<double>();
        return value.is_number_integer() || number == std::floor(number) ? "integer" : "number";
    }
    return value.is_null()      ? "null"
           : value.is_boolean() ? "boolean"
           : value.is_object()  ? "object"
           : value.is_array()   ? "array"
                                : "string";
}

} // namespace

std::vector<std::string> typesOf(const SchemaParts &parts)
{
    std::set<std::string> left(kTypes.begin(), kTypes.end());
    for (const SchemaPart &part : parts) {
        const Json *type = SchemaDocument::find(part, "type");
        if (type == nullptr)
            continue;
        std::set<std::string> these;
        for (const Json &one : type->is_array() ? *type : Json::array({*type})) {
            if (!one.is_string() ||
                std::find(kTypes.begin(), kTypes.end(), one.get<std::string>()) == kTypes.end())
                failSchema(part, "unknown 'type' " + one.dump());
            these.insert(one.get<std::string>());
        }
        if (these.contains("number"))
            these.insert("integer");
        std::erase_if(left, [&](const std::string &it) { return !these.contains(it); });
    }
    if (left.contains("number"))
        left.erase("integer");
    return {left.begin(), left.end()};
}

SchemaCompiler::SchemaCompiler(SchemaDocument &document, const SchemaOptions &options,
                               const GrammarLimits &limits, bool exact)
    : m_document(document)
    , m_options(options)
    , m_limits(limits)
    , m_exact(exact)
    , m_grammar(limits)
    , m_text(m_grammar, options)
    , m_patterns(limits, options.lenient)
{}

Grammar SchemaCompiler::compile(SchemaParts parts)
{
    const RuleId root = m_grammar.addRule("schema");
    m_grammar.setRoot(root);
    m_grammar.define(root, call(std::move(parts)));
    while (!m_open.empty()) {
        const auto [rule, open] = std::move(m_open.back());
        m_open.pop_back();
        m_grammar.define(rule, build(open));
    }
    m_grammar.notes = m_document.notes();
    return std::move(m_grammar);
}

ExprId SchemaCompiler::call(SchemaParts parts)
{
    if (!m_document.flatten(parts))
        return m_grammar.nothing();
    if (parts.empty())
        return m_text.value();
    Key key;
    for (const SchemaPart &part : parts)
        key.push_back({part.schema, part.chosen});
    std::sort(key.begin(), key.end());
    const auto [found, added] = m_rules.emplace(std::move(key), 0);
    if (added) {
        if (m_rules.size() > kMostRules)
            throwBadInput("the JSON schema has more than " + std::to_string(kMostRules) +
                          " combinations of its parts");
        found->second = m_grammar.addRule(parts[0].place);
        m_open.push_back({found->second, std::move(parts)});
    }
    return m_grammar.call(found->second);
}

ExprId SchemaCompiler::build(const SchemaParts &parts)
{
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (SchemaDocument::find(parts[i], "anyOf") && !(parts[i].chosen & kAnyOf))
            return choose(parts, i, "anyOf", kAnyOf);
        if (SchemaDocument::find(parts[i], "oneOf") && !(parts[i].chosen & kOneOf)) {
            requireApart(parts, i);
            return choose(parts, i, "oneOf", kOneOf);
        }
        if (const auto other = withoutDependents(parts, i))
            return *other;
        if (const auto other = withoutCondition(parts, i))
            return *other;
    }
    for (const SchemaPart &part : parts)
        if (!(part.chosen & kEnum) &&
            (SchemaDocument::find(part, "enum") || SchemaDocument::find(part, "const")))
            return values(parts);
    std::vector<ExprId> choices;
    for (const std::string &type : typesOf(parts))
        choices.push_back(ofType(type, parts));
    return m_grammar.choice(std::move(choices));
}

/// One alternative of a part's "anyOf" or "oneOf", together with all the rest.
ExprId SchemaCompiler::choose(const SchemaParts &parts, std::size_t at, const char *keyword,
                              unsigned chosen)
{
    const Json &list = *SchemaDocument::find(parts[at], keyword);
    if (!list.is_array() || list.empty())
        failSchema(parts[at], "'" + std::string(keyword) + "' is no list of schemas");
    std::vector<ExprId> choices;
    for (std::size_t i = 0; i < list.size(); ++i) {
        SchemaParts with = parts;
        with[at].chosen |= chosen;
        with.push_back(SchemaDocument::member(parts[at], keyword, i));
        choices.push_back(call(std::move(with)));
    }
    return m_grammar.choice(std::move(choices));
}

/// No text may fulfil two alternatives of a "oneOf".
void SchemaCompiler::requireApart(const SchemaParts &parts, std::size_t at)
{
    const Json &list = *SchemaDocument::find(parts[at], "oneOf");
    if (!m_exact || !list.is_array() || list.size() < 2)
        return;
    const auto complain = [&](const std::string &what) {
        if (!m_options.lenient)
            refuseSchema(parts[at], "'oneOf', " + what + ",");
        m_document.note(parts[at].place + ": 'oneOf' is read as 'anyOf'");
    };
    if (list.size() > kMostAlternatives)
        return complain("with more than " + std::to_string(kMostAlternatives) + " alternatives");
    for (std::size_t i = 0; i < list.size(); ++i)
        for (std::size_t k = i + 1; k < list.size(); ++k) {
            SchemaParts with = parts;
            with[at].chosen |= kOneOf;
            with.push_back(SchemaDocument::member(parts[at], "oneOf", i));
            with.push_back(SchemaDocument::member(parts[at], "oneOf", k));
            if (isPossible(std::move(with)))
                return complain("whose alternatives " + std::to_string(i) + " and " +
                                std::to_string(k) + " may hold together ('anyOf' would do)");
        }
}

/// Whether anything fulfils the parts, or this value does.
bool SchemaCompiler::isPossible(SchemaParts parts, const Json *value)
{
    GrammarLimits limits = m_limits;
    limits.exprs /= 4;
    SchemaOptions options = m_options;
    options.anyOrder = true;
    const bool exact = value != nullptr && m_exact;
    const Grammar grammar =
        SchemaCompiler(m_document, options, limits, exact).compile(std::move(parts));
    if (!grammar.fulfillable()[*grammar.rules()[grammar.root()].expr])
        return false;
    if (value == nullptr)
        return true;
    const Automaton automaton(grammar);
    Machine machine(automaton);
    return machine.hasEnded(machine.read(machine.start(), value->dump()));
}

bool SchemaCompiler::isValid(const Json &value, const SchemaParts &parts)
{
    const auto types = typesOf(parts);
    const std::string type = typeOf(value);
    const auto has = [&](std::string_view it) {
        return std::find(types.begin(), types.end(), it) != types.end();
    };
    if (!has(type) && !(type == "integer" && has("number")))
        return false;
    if (std::all_of(parts.begin(), parts.end(), saysTypeAtMost))
        return true;
    SchemaParts others = parts;
    for (SchemaPart &part : others)
        part.chosen |= kEnum;
    return isPossible(std::move(others), &value);
}

/// The values of "enum" and "const" that everything else allows, too.
ExprId SchemaCompiler::values(const SchemaParts &parts)
{
    std::optional<std::vector<Json>> left;
    for (const SchemaPart &part : parts) {
        std::vector<const Json *> lists;
        const Json *one = SchemaDocument::find(part, "const");
        const Json *several = SchemaDocument::find(part, "enum");
        if (several && !several->is_array())
            failSchema(part, "'enum' is no list");
        const auto keep = [&](const std::vector<Json> &values) {
            if (!left) {
                left = values;
                return;
            }
            std::erase_if(*left, [&](const Json &value) {
                return std::none_of(values.begin(), values.end(), [&](const Json &other) {
                    return nlohmann::json(other) == nlohmann::json(value);
                });
            });
        };
        if (one && !(part.chosen & kEnum))
            keep({*one});
        if (several && !(part.chosen & kEnum))
            keep({several->begin(), several->end()});
    }
    std::vector<ExprId> choices;
    for (const Json &value : *left)
        if (isValid(value, parts))
            choices.push_back(m_text.literal(value));
    return m_grammar.choice(std::move(choices));
}

/// "dependentRequired" and "dependentSchemas": without the one property, or with what it asks for.
std::optional<ExprId> SchemaCompiler::withoutDependents(const SchemaParts &parts, std::size_t at)
{
    const SchemaPart &part = parts[at];
    if (part.chosen & kDependents)
        return std::nullopt;
    Json all = Json::array();
    const auto add = [&](const std::string &name, Json with) {
        all.push_back({{"anyOf", {{{"properties", {{name, false}}}}, std::move(with)}}});
    };
    if (const Json *required = SchemaDocument::find(part, "dependentRequired"))
        for (const auto &[name, others] : required->items()) {
            Json names = others;
            names.push_back(name);
            add(name, {{"required", names}});
        }
    if (const Json *schemas = SchemaDocument::find(part, "dependentSchemas"))
        for (const auto &[name, schema] : schemas->items())
            add(name, {{"required", {name}}, {"allOf", Json::array({schema})}});
    if (all.empty())
        return std::nullopt;
    SchemaParts with = parts;
    with[at].chosen |= kDependents;
    with.push_back(m_document.made({{"allOf", std::move(all)}}, part.place + "/dependentSchemas"));
    return call(std::move(with));
}

/// "if" without "then" and "else" says nothing.
std::optional<ExprId> SchemaCompiler::withoutCondition(const SchemaParts &parts, std::size_t at)
{
    const SchemaPart &part = parts[at];
    if ((part.chosen & kCondition) || !SchemaDocument::find(part, "if") ||
        (!SchemaDocument::find(part, "then") && !SchemaDocument::find(part, "else")))
        return std::nullopt;
    if (!m_options.lenient)
        refuseSchema(part, "'if'");
    m_document.note(part.place + ": 'if' is left out");
    return std::nullopt;
}

ExprId SchemaCompiler::ofType(const std::string &type, const SchemaParts &parts)
{
    if (type == "null")
        return m_grammar.text("null");
    if (type == "boolean")
        return m_grammar.choice({m_grammar.text("true"), m_grammar.text("false")});
    if (type == "number" || type == "integer")
        return number(parts, type == "integer");
    if (type == "string")
        return string(parts);
    return type == "array" ? list(parts) : object(parts);
}

ExprId SchemaCompiler::number(const SchemaParts &parts, bool integer)
{
    constexpr std::uint64_t kLargestDivisor = 10'000;
    NumberBounds bounds{.whole = integer};
    std::vector<std::uint32_t> divisors;
    const auto narrow = [&](const SchemaPart &part, const char *keyword, bool low, bool strict) {
        const Json *value = SchemaDocument::find(part, keyword);
        if (value == nullptr)
            return;
        const auto decimal = value->is_number() ? Decimal::parse(value->dump()) : std::nullopt;
        if (!decimal)
            failSchema(part, "'" + std::string(keyword) + "' is no number of common size");
        auto &bound = low ? bounds.low : bounds.high;
        const int order = bound ? compare(*decimal, bound->value) : 0;
        if (!bound || (low ? order > 0 : order < 0) || (order == 0 && strict))
            bound = {*decimal, strict};
    };
    for (const SchemaPart &part : parts) {
        narrow(part, "minimum", true, false);
        narrow(part, "exclusiveMinimum", true, true);
        narrow(part, "maximum", false, false);
        narrow(part, "exclusiveMaximum", false, true);
        if (const Json *divisor = SchemaDocument::find(part, "multipleOf")) {
            if (!divisor->is_number() || divisor->get<double>() <= 0)
                failSchema(part, "'multipleOf' is no number above 0");
            const double value = divisor->get<double>();
            if (value != std::floor(value) || value > double{kLargestDivisor})
                refuseSchema(part, "'multipleOf' " + divisor->dump() + ", no whole number up to " +
                                       std::to_string(kLargestDivisor) + ",");
            divisors.push_back(static_cast<std::uint32_t>(value));
            bounds.whole = true;
        }
    }
    if (!bounds.low && !bounds.high && divisors.empty())
        return integer ? m_text.integer() : m_text.number();
    CharDfa dfa = numbersWithin(bounds, m_limits);
    for (const std::uint32_t divisor : divisors)
        dfa = dfa.both(CharDfa::multiplesOf(divisor), m_limits);
    return m_grammar.dfa(std::move(dfa), CharEncoding::Plain);
}

ExprId SchemaCompiler::string(const SchemaParts &parts)
{
    const StringForm form = m_patterns.formOf(parts, m_document);
    if (form.isAny())
        return m_text.string();
    if (form.dfa)
        return m_text.string(m_patterns.dfaOf(form));
    return m_grammar.sequence({m_grammar.text("\""),
                               m_grammar.repeat(m_text.character(), form.min, form.max),
                               m_grammar.text("\"")});
}

ExprId SchemaCompiler::list(const SchemaParts &parts)
{
    std::uint32_t min = 0, max = kUnlimited;
    std::size_t first = 0; // items with schemas of their own
    for (const SchemaPart &part : parts) {
        min = std::max(min, countOf(part, "minItems", 0));
        max = std::min(max, countOf(part, "maxItems", kUnlimited));
        if (const Json *prefix = SchemaDocument::find(part, "prefixItems")) {
            if (!prefix->is_array())
                failSchema(part, "'prefixItems' is no list");
            first = std::max(first, prefix->size());
        }
    }
    if (min > max)
        return m_grammar.nothing();
    const auto item = [&](std::size_t index) {
        SchemaParts with;
        for (const SchemaPart &part : parts) {
            const Json *prefix = SchemaDocument::find(part, "prefixItems");
            if (prefix && index < prefix->size())
                with.push_back(SchemaDocument::member(part, "prefixItems", index));
            else if (SchemaDocument::find(part, "items"))
                with.push_back(SchemaDocument::member(part, "items"));
        }
        return call(std::move(with));
    };
    // From the back: what may follow so many items.
    const auto count = static_cast<std::uint32_t>(std::min<std::size_t>(first, max));
    const auto beyond = [&](std::uint32_t there) { return there < min ? min - there : 0; };
    const std::uint32_t rest = max == kUnlimited ? kUnlimited : max - count;
    ExprId tail = 0;
    if (count == 0) {
        const ExprId one = item(0);
        const ExprId more = m_grammar.repeat(m_grammar.sequence({m_text.comma(), one}), beyond(1),
                                             rest == kUnlimited || rest == 0 ? rest : rest - 1);
        tail = rest == 0 ? m_grammar.empty() : m_grammar.sequence({one, more, m_text.space()});
        if (min == 0)
            tail = m_grammar.optional(tail);
    } else {
        tail = m_grammar.repeat(m_grammar.sequence({m_text.comma(), item(first)}), beyond(count),
                                rest);
        for (std::uint32_t i = count; i-- > 0;) {
            const ExprId one = item(i);
            tail = i > 0 ? m_grammar.sequence({m_text.comma(), one, tail})
                         : m_grammar.sequence({one, tail, m_text.space()});
            if (i >= min)
                tail = m_grammar.optional(tail);
        }
    }
    return m_grammar.sequence({m_grammar.text("["), m_text.space(), tail, m_grammar.text("]")});
}

} // namespace fireside::constrain
