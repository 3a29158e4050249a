#include "engine/text/jinja/values/format.h"
#include "engine/text/jinja/values/methods.h"
#include "engine/text/jinja/values/operators.h"
#include "engine/text/jinja/values/string_ops.h"

#include <algorithm>

namespace fireside::jinja {

using Kind = Value::Kind;

namespace {

using Args = const Arguments &;
using Self = const Value &;

template <bool Left, bool Right>
Value strip(Runtime &rt, Self self, Args args)
{
    const Parameters p(Left && Right ? "strip" : Left ? "lstrip" : "rstrip", args, {"chars"});
    return stripText(rt, self.asString(), p.text(0), Left, Right);
}

template <bool FromRight>
Value split(Runtime &rt, Self self, Args args)
{
    const Parameters p(FromRight ? "rsplit" : "split", args, {"sep", "maxsplit"});
    return rt.heap.list(splitText(rt, self.asString(), p.text(0), p.integer(1, -1), FromRight));
}

Value splitlines(Runtime &rt, Self self, Args args)
{
    const Parameters p("splitlines", args, {"keepends"});
    return rt.heap.list(splitLines(rt, self.asString(), p.truth(0, false)));
}

/// self[start:end] for the methods that take such bounds.
Value window(Runtime &rt, Self self, const Parameters &p)
{
    if (!p.has(1) && !p.has(2))
        return self;
    return getSlice(rt, self, p.has(1) ? p[1] : Value(), p.has(2) ? p[2] : Value(), Value());
}

template <bool AtEnd>
Value hasAffix(Runtime &rt, Self self, Args args)
{
    const Parameters p(AtEnd ? "endswith" : "startswith", args,
                       {AtEnd ? "suffix" : "prefix", "start", "end"}, 1);
    const Value text = window(rt, self, p);
    const auto matches = [&](const std::string &affix) {
        return AtEnd ? text.text().ends_with(affix) : text.text().starts_with(affix);
    };
    if (!p[0].is(Kind::Tuple))
        return Value::boolean(matches(p.requiredText(0).text()));
    for (const Value &affix : p[0].asList().items) {
        rt.budget.step();
        if (!affix.isString())
            throw TemplateError("the tuple must hold strings, not " + typeName(affix));
        if (matches(affix.text()))
            return Value::boolean(true);
    }
    return Value::boolean(false);
}

Value replace(Runtime &rt, Self self, Args args)
{
    const Parameters p("replace", args, {"old", "new", "count"}, 2);
    const auto argument = [&](std::size_t i) -> const StringObject & {
        const StringObject &text = p.requiredText(i);
        return self.asString().isMarkup ? escapeText(rt, p[i]).asString() : text;
    };
    return replaceText(rt, self.asString(), argument(0), argument(1), p.integer(2, -1));
}

template <bool AtEnd>
Value removeAffix(Runtime &rt, Self self, Args args)
{
    const Parameters p(AtEnd ? "removesuffix" : "removeprefix", args, {AtEnd ? "suffix" : "prefix"},
                       1);
    const std::string &text = self.text(), &affix = p.requiredText(0).text();
    if (AtEnd ? !text.ends_with(affix) : !text.starts_with(affix))
        return self;
    return rt.substring(self.asString(), AtEnd ? 0 : affix.size(),
                        text.size() - (AtEnd ? affix.size() : 0));
}

/// Every run of letters gets a capital first letter.
Value titleWords(Runtime &rt, const StringObject &s)
{
    return titleText(rt, s, [](std::string_view c) { return !isLetter(decodeCharacter(c)); });
}

template <Value (*Function)(Runtime &, const StringObject &)>
Value simple(Runtime &rt, Self self, Args args)
{
    const Parameters p("this string method", args, {});
    return Function(rt, self.asString());
}

/// The character position of the argument in self, or -1.
std::int64_t locate(Runtime &rt, Self self, const Parameters &p, bool fromRight)
{
    const std::string &needle = p.requiredText(0).text();
    const Value text = window(rt, self, p);
    rt.budget.scan(fromRight ? text.text().size() * (needle.size() + 1)
                             : searchCost(text.text(), needle));
    const std::size_t at = fromRight ? text.text().rfind(needle) : findText(text.text(), needle);
    if (at == std::string::npos)
        return -1;
    std::int64_t start = p.integer(1, 0);
    const std::int64_t length = lengthOf(self);
    if (start < 0)
        start = std::max<std::int64_t>(0, start < -length ? 0 : start + length);
    return start +
           static_cast<std::int64_t>(countCharacters(std::string_view(text.text()).substr(0, at)));
}

template <bool FromRight, bool Required>
Value find(Runtime &rt, Self self, Args args)
{
    const Parameters p("find", args, {"sub", "start", "end"}, 1);
    const std::int64_t at = locate(rt, self, p, FromRight);
    if (Required && at < 0)
        throw TemplateError("substring not found");
    return Value::integer(at);
}

Value count(Runtime &rt, Self self, Args args)
{
    const Parameters p("count", args, {"sub", "start", "end"}, 1);
    const std::string &needle = p.requiredText(0).text();
    const Value text = window(rt, self, p);
    if (needle.empty())
        return Value::integer(lengthOf(text) + 1);
    rt.budget.scan(searchCost(text.text(), needle));
    std::int64_t found = 0;
    for (std::size_t at = 0; (at = findText(text.text(), needle, at)) != std::string::npos;
         at += needle.size()) {
        rt.budget.scan(needle.size());
        ++found;
    }
    return Value::integer(found);
}

Value join(Runtime &rt, Self self, Args args)
{
    const Parameters p("join", args, {"iterable"}, 1);
    requireDefined(p[0]);
    auto items = iterate(rt, p[0]);
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (!items[i].isString())
            throw TemplateError("sequence item " + std::to_string(i) + ": expected str instance, " +
                                typeName(items[i]) + " found");
        if (self.asString().isMarkup)
            items[i] = escapeText(rt, items[i]);
    }
    return joinTexts(rt, self.asString(), items);
}

Value format(Runtime &rt, Self self, Args args)
{
    return formatBraces(rt, self.asString(), args);
}

template <bool FromRight>
Value partition(Runtime &rt, Self self, Args args)
{
    const Parameters p(FromRight ? "rpartition" : "partition", args, {"sep"}, 1);
    const auto parts = splitText(rt, self.asString(), &p.requiredText(0), 1, FromRight);
    if (parts.size() == 2)
        return rt.heap.tuple({parts[0], p[0], parts[1]});
    const Value empty = rt.string(std::string());
    return rt.heap.tuple({FromRight ? empty : self, empty, FromRight ? self : empty});
}

template <Align How>
Value pad(Runtime &rt, Self self, Args args)
{
    const Parameters p("pad", args, {"width", "fillchar"}, 1);
    const StringObject *fill = p.text(1);
    if (fill && fill->characters != 1)
        throw TemplateError("The fill character must be exactly one character long");
    return padText(rt, self.asString(), p.integer(0, 0), How,
                   fill ? std::string_view(fill->text()) : " ");
}

Value zfill(Runtime &rt, Self self, Args args)
{
    const Parameters p("zfill", args, {"width"}, 1);
    const auto &s = self.asString();
    const bool hasSign = !s.text().empty() && (s.text()[0] == '-' || s.text()[0] == '+');
    const std::int64_t sign = hasSign ? 1 : 0;
    const Value digits = rt.substring(s, hasSign ? 1 : 0, s.text().size());
    const std::int64_t width = std::max<std::int64_t>(p.integer(0, 0), sign) - sign;
    const Value padded = padText(rt, digits.asString(), width, Align::Right, "0");
    return hasSign ? applyBinary(rt, BinaryOp::Add, rt.substring(s, 0, 1), padded) : padded;
}

/// True when the text is not empty and every character passes.
template <bool (*Passes)(std::int32_t)>
Value all(Runtime &rt, Self self, Args args)
{
    const Parameters p("this string method", args, {});
    const std::string_view text = self.text();
    rt.budget.scan(text.size() * 8);
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t next = nextCharacter(text, at);
        if (!Passes(decodeCharacter(text.substr(at, next - at))))
            return Value::boolean(false);
        at = next;
    }
    return Value::boolean(!text.empty());
}

bool isLetterOrDigit(std::int32_t c)
{
    return isLetter(c) || isDigit(c);
}

template <bool (*Wanted)(std::int32_t), bool (*Other)(std::int32_t)>
Value allCased(Runtime &rt, Self self, Args args)
{
    const Parameters p("this string method", args, {});
    return Value::boolean(isCased(rt, self.text(), Wanted, Other));
}

} // namespace

const BuiltinTable &stringMethods()
{
    static const BuiltinTable Methods = {
        {"strip", strip<true, true>},
        {"lstrip", strip<true, false>},
        {"rstrip", strip<false, true>},
        {"split", split<false>},
        {"rsplit", split<true>},
        {"splitlines", splitlines},
        {"startswith", hasAffix<false>},
        {"endswith", hasAffix<true>},
        {"replace", replace},
        {"removeprefix", removeAffix<false>},
        {"removesuffix", removeAffix<true>},
        {"upper", simple<upperText>},
        {"lower", simple<lowerText>},
        {"casefold", simple<lowerText>},
        {"title", simple<titleWords>},
        {"capitalize", simple<capitalizeText>},
        {"swapcase", simple<swapCaseText>},
        {"find", find<false, false>},
        {"rfind", find<true, false>},
        {"index", find<false, true>},
        {"rindex", find<true, true>},
        {"count", count},
        {"join", join},
        {"format", format},
        {"partition", partition<false>},
        {"rpartition", partition<true>},
        {"center", pad<Align::Center>},
        {"ljust", pad<Align::Left>},
        {"rjust", pad<Align::Right>},
        {"zfill", zfill},
        {"isdigit", all<isDigit>},
        {"isdecimal", all<isDigit>},
        {"isnumeric", all<isDigit>},
        {"isalpha", all<isLetter>},
        {"isalnum", all<isLetterOrDigit>},
        {"isspace", all<isSpace>},
        {"isupper", allCased<isUpper, isLower>},
        {"islower", allCased<isLower, isUpper>},
    };
    return Methods;
}

} // namespace fireside::jinja
