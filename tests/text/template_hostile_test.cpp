// Templates from strangers' model files: every failure is an Error that says what and where.
#include "engine/core/error.h"
#include "engine/text/chat_template.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <random>

namespace fireside {
namespace {

const nlohmann::ordered_json Context = {
    {"messages", {{{"role", "user"}, {"content", "Hello <|im_end|> ☕"}}}}, {"n", 3}, {"s", "text"}};

std::string failure(const std::string &source)
{
    try {
        const MarkedText text = ChatTemplate(source).render(Context, "2026-11-20T12:00:00");
        return "no error, but: " + text.text.substr(0, 200);
    } catch (const Error &error) {
        EXPECT_EQ(error.kind(), ErrorKind::BadInput);
        return error.what();
    }
}

void expectFailure(const std::string &source, const std::string &part)
{
    const std::string message = failure(source);
    EXPECT_NE(message.find(part), std::string::npos)
        << source.substr(0, 200) << "\ngives: " << message << "\nwanted: " << part;
}

std::string repeated(const std::string &text, int count)
{
    std::string out;
    for (int i = 0; i < count; ++i)
        out += text;
    return out;
}

TEST(TemplateErrors, SyntaxErrorsNameLineAndColumn)
{
    expectFailure("a\n{% if x %}", "line 2, column");
    expectFailure("{{ 1 + }}", "line 1, column 8: expected a value");
    expectFailure("ä\nöö {{ $ }}", "line 2, column 7: unexpected character '$'");
    expectFailure("{% foo %}", "unknown or misplaced tag 'foo'");
    expectFailure("{% endif %}", "unknown or misplaced tag 'endif'");
    expectFailure("{{ 'abc }}", "line 1, column 4: this string has no end");
    expectFailure("{{ (1 }}", "unexpected '}', expected ')'");
    expectFailure("{{ a", "this {{ has no }}");
    expectFailure("{# a", "missing end of comment");
    expectFailure("{% raw %} a", "missing end of raw");
    expectFailure("{% for x in y %}", "never closed");
    expectFailure("{% break %}", "outside a loop");
    expectFailure("{% include 'x' %}", "needs other files");
    expectFailure("{% set none = 1 %}", "cannot assign");
    expectFailure("{{ 99999999999999999999 }}", "does not fit 64 bits");
    expectFailure("{{ f(a=1, 2) }}", "positional argument follows");
    expectFailure("{% macro m(a=1, b) %}{% endmacro %}", "without default");
    expectFailure("{{ a is }}", "expected a name");
    expectFailure("{{ '\\x4' }}", "malformed escape");
}

TEST(TemplateErrors, RuntimeErrorsSayWhatAndWhere)
{
    expectFailure("\n  {{ missing.role }}", "line 2, column 13: 'missing' is undefined");
    expectFailure("{{ messages[0].name.first }}", "'dict object' has no attribute 'name'");
    expectFailure("{{ messages[7].role }}", "list object has no element 7");
    expectFailure("{{ none.x.y }}", "'None' has no attribute 'x'");
    expectFailure("{{ 'a' + 1 }}", "can only concatenate str");
    expectFailure("{{ 1 < 'a' }}", "not supported between instances of 'int' and 'str'");
    expectFailure("{{ 1 // 0 }}", "division by zero");
    expectFailure("{{ s() }}", "'str' object is not callable");
    expectFailure("{{ s|nosuchfilter }}", "no filter named 'nosuchfilter'");
    expectFailure("{{ s is nosuchtest }}", "no test named 'nosuchtest'");
    expectFailure("{{ s|trim(1, 2) }}", "takes at most 1");
    expectFailure("{% for a, b in [1] %}{% endfor %}", "'int' object is not iterable");
    expectFailure("{% for a, b in [[1]] %}{% endfor %}", "not enough values to unpack");
    expectFailure("{% set s.x = 1 %}", "non-namespace");
    expectFailure("{{ [1]|map('string')|tojson }}", "generator is not JSON serializable");
    expectFailure("{{ {[]: 1} }}", "unhashable type: 'list'");
    EXPECT_EQ(failure("{{ raise_exception('Roles must ' ~ 'alternate') }}"),
              "Roles must alternate");
    EXPECT_EQ(failure("{{ raise_exception('') }}"),
              "The chat template refuses this chat and does not say why");
    const char zero[] = "{{ raise_exception('\0no\n') }}";
    EXPECT_EQ(failure(std::string(zero, sizeof zero - 1)), "\\x00no\\n");
    EXPECT_THROW(ChatTemplate("x").render(nlohmann::ordered_json::array()), Error);
}

TEST(TemplateLimits, TextThatIsEscapedCountsByTheCharacter)
{
    std::uint64_t copied = 0, escaped = 0;
    const nlohmann::ordered_json context{{"s", std::string(64'000, 'x')}};
    ChatTemplate("{{ s ~ 'a' }}").render(context, {}, &copied);
    ChatTemplate("{{ [s] }}").render(context, {}, &escaped);
    EXPECT_GT(escaped, copied + 64'000 / 16);
}

TEST(TemplateLimits, EachLimitStopsTheTemplateAndIsNamed)
{
    expectFailure("{% for a in range(1000) %}{% for b in range(1000) %}{% for c in range(1000) %}"
                  "{% endfor %}{% endfor %}{% endfor %}",
                  "limit of 1000000 steps");
    expectFailure("{% for a in range(10**9) %}{% endfor %}", "range() is longer than its limit");
    expectFailure("{{ range(-9223372036854775807, 9223372036854775807)|length }}", "range()");
    expectFailure("{{ 'x' * 10**10 }}", "output limit of 16 MB");
    expectFailure("{{ 10**10 * 'x' }}", "output limit");
    expectFailure("{{ [0] * 10**12 }}", "output limit");
    expectFailure("{% for a in range(100000) %}" + std::string(200, 'x') + "{% endfor %}",
                  "output limit");
    expectFailure("{% set ns = namespace(s='xx') %}{% for i in range(99) %}"
                  "{% set ns.s = ns.s ~ ns.s %}{% endfor %}",
                  "output limit");
    expectFailure("{% set ns = namespace(l=[1, 2]) %}{% for i in range(99) %}"
                  "{% set ns.l = ns.l + ns.l %}{% endfor %}",
                  "limit of 1000000 steps");
    expectFailure(
        "{% set l = [] %}{% for i in range(99) %}{{ l.append('x' * 15000000) }}{% endfor %}",
        "memory limit of 48 MB");
    expectFailure("{{ 2**63 }}", "64-bit limit");
    expectFailure("{{ 9223372036854775807 + 1 }}", "64-bit limit");
    expectFailure("{{ -9223372036854775807 - 2 }}", "64-bit limit");
    expectFailure("{{ 3037000500 * 3037000500 }}", "64-bit limit");
    expectFailure("{{ (-9223372036854775807 - 1) // -1 }}", "64-bit limit");
    expectFailure("{{ -(-9223372036854775807 - 1) }}", "64-bit limit");
    expectFailure("{{ (-9223372036854775807 - 1)|abs }}", "64-bit limit");
    expectFailure("{{ 10**10**10 }}", "64-bit limit");
    expectFailure("{{ 'x'.center(10**12) }}", "output limit");
    expectFailure("{{ '%999999999d' % 1 }}", "output limit");
    expectFailure("{{ '{:>999999999}'.format(1) }}", "output limit");
    expectFailure("{{ [1]|tojson(indent=10**10) }}", "output limit");
    expectFailure("{{ [[[[1]]]]|tojson(indent=10000000) }}", "output limit");
    expectFailure("{{ 'a'|indent(10**10, true) }}", "output limit");
    expectFailure("{{ ('a' * 200000)|replace('a', 'b' * 100) }}", "output limit");
    expectFailure("{{ ('a' * 9000)|replace('', 'b' * 9000) }}", "output limit");
}

TEST(TemplateLimits, DeepNestingIsRefusedInEveryForm)
{
    expectFailure("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "depth limit of 200");
    expectFailure("{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}", "depth limit");
    expectFailure("{% set ns = namespace(l=[]) %}{% for i in range(5000) %}{% set ns.l = [ns.l] %}"
                  "{% endfor %}{{ ns.l }}",
                  "depth limit");
    expectFailure("{% set l = [] %}{{ l.append(l) }}{{ l }}", "depth limit");
    expectFailure("{% set l = [] %}{{ l.append(l) }}{{ l|tojson }}", "depth limit");
    expectFailure("{% set a = [] %}{% set b = [] %}{{ a.append(b) }}{{ b.append(a) }}{{ a == b }}",
                  "depth limit");
    const std::pair<const char *, const char *> brackets[] = {
        {"(", ")"},  {"[", "]"},  {"{1:", "}"},         {"-", ""},     {"not ", ""},
        {"a[", "]"}, {"a(", ")"}, {"1 if 1 else ", ""}, {"a ~ (", ")"}};
    for (const auto &[open, close] : brackets)
        expectFailure("{{ " + repeated(open, 100'000) + "1" + repeated(close, 100'000) + " }}",
                      "nested deeper than the limit of 200");
    expectFailure("{{ a" + repeated(".b", 100'000) + " }}", "nested deeper");
    expectFailure("{{ a" + repeated("|trim", 100'000) + " }}", "nested deeper");
    expectFailure(repeated("{% if 1 %}", 100'000), "nested deeper");
    expectFailure(repeated("{% for x in y %}", 100'000), "nested deeper");
    expectFailure("{% set " + repeated("(", 100'000) + repeated(")", 100'000) + " = 1 %}",
                  "nested deeper");
    // Long but flat is fine.
    EXPECT_EQ(failure("{{ 1" + repeated(" + 1", 50'000) + " }}"), "no error, but: 50001");
    EXPECT_EQ(failure("{% if 0 %}" + repeated("{% elif 0 %}", 20'000) + "{% else %}x{% endif %}"),
              "no error, but: x");
    nlohmann::ordered_json deep = 1;
    for (int i = 0; i < 300; ++i)
        deep = nlohmann::ordered_json::array({std::move(deep)});
    EXPECT_THROW(ChatTemplate("{{ deep }}").render(nlohmann::ordered_json{{"deep", deep}}), Error);
}

TEST(TemplateLimits, QuadraticWorkIsCountedOrAvoided)
{
    // Each would take minutes if text searches were neither linear nor counted as steps.
    expectFailure("{% set h = 'a' * 8000000 %}{% set n = 'a' * 4000000 ~ 'b' %}"
                  "{% for i in range(1000) %}{{ n in h }}{% endfor %}",
                  "steps");
    expectFailure(
        "{% set h = 'ab' * 4000000 %}{% for i in range(100000) %}{{ h.count('b') }}{% endfor %}",
        "steps");
    expectFailure("{% set h = 'é' * 4000000 %}{% for i in range(100000) %}{{ h[i] }}{% endfor %}",
                  "steps");
    expectFailure("{% set x = namespace(l=[1]) %}{% for i in range(60) %}{% set x.l = [x.l, x.l] %}"
                  "{% endfor %}{{ x.l }}",
                  "limit");
    expectFailure("{% set x = namespace(l=[1]) %}{% for i in range(60) %}{% set x.l = [x.l, x.l] %}"
                  "{% endfor %}{{ x.l == x.l[0] }}",
                  "no error, but: False");
}

TEST(TemplateLimits, MethodsPayForTheLengthOfWhatTheyChange)
{
    // None of these takes memory, which would stop them.
    for (const char *call : {"l.reverse()", "l.remove(l[0])", "l.pop(0)", "l.insert(0, l.pop())",
                             "l.index(-1) if false else l.count(-1)"})
        expectFailure("{% set l = range(100000)|list %}{% for i in range(20000) %}{{ " +
                          std::string(call) + " }}{% endfor %}",
                      "limit of 1000000 steps");
    for (const char *call : {"d.update(d)", "d.values()", "d.items()", "d.keys()", "d|items",
                             "d|dictsort", "d.copy()"})
        expectFailure("{% set d = {} %}{% for i in range(20000) %}{% set _ = d.update({i: i}) %}"
                      "{% endfor %}{% for i in range(2000) %}{% set _ = " +
                          std::string(call) + " %}{% endfor %}",
                      "limit of");
    expectFailure("{{ ('[' * 2000000)|fromjson }}", "limit of 1 MB");
    expectFailure("{{ ('[' * 900 ~ ']' * 900)|fromjson }}", "depth limit");
    expectFailure("{% for i in range(100) %}{% set _ = ('[' ~ '1,' * 400000 ~ '1]')|fromjson %}"
                  "{% endfor %}",
                  "limit of");
}

/// Thousands of damaged templates: each must render or throw Error, and nothing else.
TEST(TemplateMutation, DamagedTemplatesRenderOrFailCleanly)
{
    const std::vector<std::string> seeds = {
        "{% for m in messages %}{{ '<|im_start|>' + m.role + '\\n' + m['content']|trim }}\n{% "
        "endfor %}",
        "{%- macro f(a, b=2) -%}{{ a|tojson(indent=2) }}{%- endmacro -%}{{ f(messages, b={'k': "
        "[1, 2.5]}) }}",
        "{% set ns = namespace(x=[], y='') %}{% for i in range(5) if i % 2 == 0 recursive %}"
        "{% set ns.x = ns.x + [i ** 2 // 3] %}{% else %}none{% endfor %}{{ ns.x|join(', ')|upper "
        "}}",
        "{# c #}{% raw %}{{ x }}{% endraw %}{% filter upper %}{{ s[1:-1:2] }}{% endfilter %}",
        "{% if n is defined and n > 2 or not s %}{{ '%s-%5.2f' % (s, n) }}{% elif n in [1] %}b{% "
        "endif %}"
        "{{ '{:>9}'.format(s) ~ '{0!r:^9}'.format(s) }}",
        "{{ messages|map(attribute='content')|select('string')|list|sort|unique|first|replace('l', "
        "s)|indent }}"
        "{% macro f(a) %}{{ caller(a) }}{% endmacro %}{% call(x) f(1) %}{{ x }}{% endcall %}{% "
        "with a = 1 %}{{ a }}{% endwith %}",
        "{{ s.split('e', 1)[0].rsplit(none, 1)|batch(2)|list }}{{ {'a': 1, 'b': (1, "
        "2)}|dictsort|tojson }}"
        "{{ strftime_now('%Y-%m-%d') }}{{ cycler(1, 2).next() }}{{ "
        "messages|groupby('role')|list|string|length }}",
    };
    const std::vector<std::string> pieces = {"{{",       "}}",        "{%",
                                             "%}",       "{#",        "#}",
                                             "-",        "+",         "(",
                                             ")",        "[",         "]",
                                             "{",        "}",         "'",
                                             "\"",       "\\",        "|",
                                             ".",        ",",         ":",
                                             "=",        "**",        "//",
                                             "~",        "*",         "%",
                                             "\n",       " ",         "é",
                                             "\xff",     "0",         "9223372036854775807",
                                             "1e308",    "none",      "not",
                                             "in",       "is",        "if",
                                             "else",     "for",       "endfor",
                                             "loop",     "recursive", "caller",
                                             "s",        "n",         "messages",
                                             "range(9)", "|list",     "|tojson",
                                             "|length",  ".items()",  "set"};
    for (const auto &seed : seeds)
        EXPECT_NE(failure(seed).find("no error"), std::string::npos) << seed << failure(seed);
    std::mt19937 random(20261120);
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
    int rendered = 0, refused = 0;
    for (int round = 0; round < 4000; ++round) {
        std::string source = seeds[below(seeds.size())];
        for (std::size_t edits = 1 + below(4); edits > 0 && !source.empty(); --edits) {
            const std::size_t at = below(source.size());
            switch (below(4)) {
            case 0:
                source.erase(at, 1 + below(6));
                break;
            case 1:
                source.insert(at, pieces[below(pieces.size())]);
                break;
            case 2: {
                const std::string &other = seeds[below(seeds.size())];
                source.insert(at, other.substr(below(other.size()), 1 + below(20)));
                break;
            }
            default:
                source[at] = static_cast<char>(below(256));
            }
        }
        try {
            const MarkedText text = ChatTemplate(source).render(Context, "2026-11-20T12:00:00");
            for (const auto &[begin, end] : text.untrusted)
                ASSERT_TRUE(begin < end && end <= text.text.size()) << source;
            ++rendered;
        } catch (const Error &error) {
            ASSERT_EQ(error.kind(), ErrorKind::BadInput) << source;
            ++refused;
        }
    }
    // Both outcomes must be common, or the mutations test nothing.
    EXPECT_GT(rendered, 200);
    EXPECT_GT(refused, 1000);
}

} // namespace
} // namespace fireside
