#include "engine/text/jinja/builtins/filters.h"
#include "engine/text/jinja/values/format.h"
#include "engine/text/jinja/values/json_value.h"
#include "engine/text/jinja/values/operators.h"
#include "engine/text/jinja/values/printing.h"
#include "engine/text/jinja/values/string_ops.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace fireside::jinja {

using Kind = Value::Kind;

namespace {

using Args = const Arguments &;
using Input = const Value &;

Value trim(Runtime &rt, Input input, Args args)
{
    const Parameters p("trim", args, {"chars"});
    return stripText(rt, toText(rt, input).asString(), p.text(0), true, true);
}

template <Value (*Function)(Runtime &, const StringObject &)>
Value plainFilter(Runtime &rt, Input input, Args args)
{
    const Parameters p("this filter", args, {});
    return Function(rt, toText(rt, input).asString());
}

/// Unlike str.title, only white space, hyphens and opening brackets start a new word.
Value title(Runtime &rt, Input input, Args args)
{
    const Parameters p("title", args, {});
    const Value result = titleText(rt, toText(rt, input).asString(), [](std::string_view c) {
        return isSpace(decodeCharacter(c)) ||
               std::string_view("-({[<").find(c) != std::string_view::npos;
    });
    return rt.string(result.asString().marked); // plain even when the input is markup
}

Value replaceFilter(Runtime &rt, Input input, Args args)
{
    const Parameters p("replace", args, {"old", "new", "count"}, 2);
    const Value result = replaceText(rt, toText(rt, input).asString(), toText(rt, p[0]).asString(),
                                     toText(rt, p[1]).asString(), p.integer(2, -1));
    return rt.string(result.asString().marked); // plain even when the input is markup
}

Value string(Runtime &rt, Input input, Args args)
{
    const Parameters p("string", args, {});
    return toText(rt, input);
}

Value safe(Runtime &rt, Input input, Args args)
{
    const Parameters p("safe", args, {});
    return rt.heap.string(toText(rt, input).asString().marked, true);
}

Value escape(Runtime &rt, Input input, Args args)
{
    const Parameters p("escape", args, {});
    return escapeText(rt, toText(rt, input));
}

Value forceEscape(Runtime &rt, Input input, Args args)
{
    const Parameters p("forceescape", args, {});
    return escapeText(rt, rt.string(toText(rt, input).asString().marked));
}

Value indent(Runtime &rt, Input input, Args args)
{
    const Parameters p("indent", args, {"width", "first", "blank"});
    const bool isText = p.has(0) && p[0].isString();
    const std::int64_t width = isText ? 0 : p.integer(0, 4);
    rt.budget.checkRepeat(1, width);
    const StringObject space(
        isText ? p[0].asString().marked
               : MarkedText::trusted(
                     std::string(static_cast<std::size_t>(std::max<std::int64_t>(width, 0)), ' ')));
    const bool first = p.truth(1, false), blank = p.truth(2, false);
    const StringObject newline(MarkedText::trusted("\n"));
    // With the newline appended, text that ends in one keeps it.
    const Value text = applyBinary(rt, BinaryOp::Add, toText(rt, input), Value::string(&newline));
    const auto lines = splitLines(rt, text.asString(), false);
    MarkedBuilder out;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (i > 0)
            out.append("\n");
        const bool isBlank = lines[i].text().empty();
        if (i == 0 ? first : blank || !isBlank)
            out.append(space.marked);
        out.append(lines[i].asString().marked);
        rt.budget.scan(space.text().size());
        rt.budget.checkText(out.size());
    }
    return rt.string(out.take());
}

/// Pieces without space for json.dumps(separators=…), indent as a number or a string.
Value tojson(Runtime &rt, Input input, Args args)
{
    const Parameters p("tojson", args, {"ensure_ascii", "indent", "separators", "sort_keys"});
    JsonStyle style;
    style.ensureAscii = p.truth(0, false);
    style.sortKeys = p.truth(3, false);
    if (p.has(1) && p[1].isString()) {
        style.indent = p[1].text();
    } else if (p.has(1) && !p[1].isNone()) {
        const std::int64_t width = std::max<std::int64_t>(p.integer(1, 0), 0);
        rt.budget.checkRepeat(1, width);
        style.indent = std::string(static_cast<std::size_t>(width), ' ');
    }
    if (style.indent)
        style.itemSeparator = ",";
    if (p.has(2) && !p[2].isNone()) {
        const auto pieces = iterate(rt, p[2]);
        if (pieces.size() != 2 || !pieces[0].isString() || !pieces[1].isString())
            throw TemplateError("tojson(): separators must be two strings");
        style.itemSeparator = pieces[0].text();
        style.keySeparator = pieces[1].text();
    }
    return rt.string(toJson(rt, input, style));
}

/// A text that holds JSON as the value that it stands for. Who wrote the text wrote its strings.
Value fromjson(Runtime &rt, Input input, Args args)
{
    constexpr std::size_t kMaxJsonBytes = 1'000'000;
    const Parameters p("fromjson", args, {});
    const Value text = toText(rt, input);
    if (text.text().size() > kMaxJsonBytes)
        throw TemplateError("fromjson: the text is longer than its limit of 1 MB");
    rt.budget.step(text.text().size() + 1);
    const auto json = nlohmann::ordered_json::parse(text.text(), nullptr, false);
    if (json.is_discarded())
        throw TemplateError("fromjson: the text is no valid JSON");
    return valueOfJson(rt, json, !text.asString().marked.untrusted.empty());
}

Value formatFilter(Runtime &rt, Input input, Args args)
{
    if (!args.positional.empty() && !args.named.empty())
        throw TemplateError("format: positional and keyword arguments cannot be mixed");
    Value values;
    if (!args.named.empty()) {
        values = rt.heap.dict();
        for (const auto &[name, value] : args.named)
            setItem(rt, values.asDict(), rt.string(name), value);
    } else {
        values = rt.heap.tuple(args.positional);
    }
    return formatPercent(rt, toText(rt, input).asString(), values);
}

Value center(Runtime &rt, Input input, Args args)
{
    const Parameters p("center", args, {"width"});
    return padText(rt, toText(rt, input).asString(), p.integer(0, 80), Align::Center);
}

Value wordcount(Runtime &rt, Input input, Args args)
{
    const Parameters p("wordcount", args, {});
    const auto words = splitText(rt, toText(rt, input).asString(), nullptr, -1, false);
    return Value::integer(static_cast<std::int64_t>(words.size()));
}

Value truncate(Runtime &rt, Input input, Args args)
{
    const Parameters p("truncate", args, {"length", "killwords", "end", "leeway"});
    const std::int64_t length = p.integer(0, 255), leeway = p.integer(3, 5);
    const StringObject dots(MarkedText::trusted("..."));
    const Value end = p.text(2) ? p[2] : Value::string(&dots);
    const Value text = toText(rt, input);
    if (length < lengthOf(end) || leeway < 0 || length > INT64_MAX - leeway)
        throw TemplateError("truncate: expected length >= " + std::to_string(lengthOf(end)));
    if (lengthOf(text) <= length + leeway)
        return text;
    Value cut = getSlice(rt, text, {}, Value::integer(length - lengthOf(end)), {});
    if (!p.truth(1, false)) {
        const StringObject space(MarkedText::trusted(" "));
        cut = splitText(rt, cut.asString(), &space, 1, true).front();
    }
    return applyBinary(rt, BinaryOp::Add, cut, end);
}

} // namespace

const BuiltinTable &textFilters()
{
    static const BuiltinTable Filters = {
        {"trim", trim},
        {"upper", plainFilter<upperText>},
        {"lower", plainFilter<lowerText>},
        {"capitalize", plainFilter<capitalizeText>},
        {"title", title},
        {"replace", replaceFilter},
        {"string", string},
        {"safe", safe},
        {"escape", escape},
        {"e", escape},
        {"forceescape", forceEscape},
        {"indent", indent},
        {"tojson", tojson},
        {"fromjson", fromjson},
        {"from_json", fromjson},
        {"format", formatFilter},
        {"center", center},
        {"wordcount", wordcount},
        {"truncate", truncate},
    };
    return Filters;
}

} // namespace fireside::jinja
