// The template language in small pieces: what each one must print is what Jinja2 3.1 prints.
#include "engine/core/error.h"
#include "engine/text/chat_template.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace fireside {
namespace {

struct Case
{
    const char *source;
    const char *output;
};

nlohmann::ordered_json sampleContext()
{
    return nlohmann::ordered_json::parse(R"({
        "n": 5, "s": "Hello <b>World</b>", "u": "naïve café ☕", "l": [3, 1, 2], "e": [],
        "d": {"b": 1, "a": [1, 2, {"x": null}], "C": true},
        "users": [{"name": "Bob", "age": 30, "tags": ["x"]}, {"name": "alice", "age": 25, "tags": []},
                  {"name": "Bob", "age": 20}]
    })");
}

std::string render(const std::string &source)
{
    return ChatTemplate(source).render(sampleContext(), "2026-11-20T12:00:00").text;
}

void check(std::initializer_list<Case> cases, bool isExpression = false)
{
    for (const auto &[source, output] : cases) {
        SCOPED_TRACE(source);
        try {
            EXPECT_EQ(render(isExpression ? "{{ " + std::string(source) + " }}" : source), output);
        } catch (const Error &error) {
            ADD_FAILURE() << error.what();
        }
    }
}

TEST(TemplateLanguage, Operators)
{
    check({{"1 + 2 * 3", "7"},
           {"2 ** 3 ** 2", "64"},
           {"-2 ** 2", "4"},
           {"-7 // 2", "-4"},
           {"7 % -3", "-2"},
           {"-7.5 % 2", "0.5"},
           {"6 / 3", "2.0"},
           {"'a' ~ 1 ~ none ~ true", "a1NoneTrue"},
           {"'x' ~ 1 + 2 ~ 'y'", "x12y"},
           {"3 * 'ab'", "ababab"},
           {"[1] + [2]", "[1, 2]"},
           {"1 < 2 < 3, 1 < 3 < 2", "(True, False)"},
           {"'b' in d and 'q' not in d", "True"},
           {"none or 'x'", "x"},
           {"'a' if n > 9 else 'b' if n > 3 else 'c'", "b"},
           {"not 'a' in 'abc'", "False"},
           {"1 == true, 1 == 1.0, '1' == 1", "(True, True, False)"},
           {"9007199254740993 == 9007199254740992.0", "False"},
           {"-9223372036854775807 - 1", "-9223372036854775808"}},
          true);
}

TEST(TemplateLanguage, ValuesPrintAsInPython)
{
    check({{"[1, 'a', none, true, 1.5, {'k': 'v'}, (1,), ()]",
            "[1, 'a', None, True, 1.5, {'k': 'v'}, (1,), ()]"},
           {"[\"it's\", 'a\\nb', 'é']", "[\"it's\", 'a\\nb', 'é']"},
           {"0.1 + 0.2", "0.30000000000000004"},
           {"1e16, 1e15, 1e-5, 0.0001", "(1e+16, 1000000000000000.0, 1e-05, 0.0001)"},
           {"1e300 * 1e10", "inf"},
           {"'\\u00e9\\x41\\101'", "éAA"},
           {"missing", ""}},
          true);
}

TEST(TemplateLanguage, IndexesAndSlicesCountCharacters)
{
    check({{"u[3:8], u[-1], u[::-1]", "('ve ca', '☕', '☕ éfac evïan')"},
           {"u|length", "12"},
           {"s[5:2:-1], s[-3:]", "(' ol', '/b>')"},
           {"l[::-1], l[9:], l[0:2][1]", "([2, 1, 3], [], 1)"},
           {"d.a[2].x, d['b'], d.a.0", "(None, 1, 1)"},
           {"{'items': 1}['items']", "1"},
           {"u.find('☕')", "11"}},
          true);
}

TEST(TemplateLanguage, StringMethods)
{
    check({{"' a b '.strip() ~ '|' ~ 'xxaxx'.lstrip('x')", "a b|axx"},
           {"'a,b,,c'.split(',', 1), 'a,b,c'.rsplit(',', 1)", "(['a', 'b,,c'], ['a,b', 'c'])"},
           {"' a  b '.split()", "['a', 'b']"},
           {"'a\\nb\\r\\nc'.splitlines()", "['a', 'b', 'c']"},
           {"'abc'.startswith(('x', 'ab'))", "True"},
           {"'aaa'.replace('a', 'b', 2), 'ab'.replace('', '-')", "('bba', '-a-b-')"},
           {"'{:>4}|{!r}|{n:.2f}'.format('a', 'b', n=1.5)", "   a|'b'|1.50"},
           {"'{:,.0E} {:.1G} {:X}'.format(12345.0, 1e-9, 171)", "1E+04 1E-09 AB"},
           {"'%s is %05.1f%%' % ('x', 2.25)", "x is 002.2%"},
           {"'a=b=c'.partition('=')", "('a', '=', 'b=c')"},
           {"'foo bar'.title() ~ 'ÄÖ'.lower()", "Foo Baräö"},
           {"'12'.isdigit() and not '1a'.isdigit()", "True"},
           {"'ab'.center(5, '*'), '{:*^5}'.format('ab')", "('**ab*', '*ab**')"}},
          true);
}

TEST(TemplateLanguage, Filters)
{
    check({{"l|sort|join(',') ~ l|max ~ l|sum", "1,2,336"},
           {"users|map(attribute='name')|unique|join('/')", "Bob/alice"},
           {"users|selectattr('age', 'ge', 25)|map(attribute='age')|list", "[30, 25]"},
           {"users|rejectattr('tags')|list|length", "2"},
           {"users|groupby('name')|map(attribute='grouper')|list", "['alice', 'Bob']"},
           {"users|sort(attribute='age')|map(attribute='age')|join(' ')", "20 25 30"},
           {"d|dictsort|map('first')|join", "abC"},
           {"[0, 1, none]|select|list, none|map('int')|list", "([1], [])"},
           {"'42.7'|int, 'z'|int(7), '1f'|int(base=16), 3.9|int", "(42, 7, 31, 3)"},
           {"2.5|round, 2.675|round(2), 3.1|round(0, 'ceil')", "(2.0, 2.67, 4.0)"},
           {"[1, 2, 3]|batch(2, 'x')|list", "[[1, 2], [3, 'x']]"},
           {"'a\\n\\nb'|indent(2, true)", "  a\n\n  b"},
           {"missing|default('d'), ''|d('e', true)", "('d', 'e')"},
           {"'foo-bar it\\'s'|title", "Foo-Bar It's"},
           {"'<%s>'|safe + '<'", "<%s>&lt;"},
           {"e|first is undefined", "True"}},
          true);
}

TEST(TemplateLanguage, JsonIsWrittenLikeHuggingFaceDoes)
{
    check({{"d|tojson", R"({"b": 1, "a": [1, 2, {"x": null}], "C": true})"},
           {"d|tojson(sort_keys=true, separators=(',', ':'))",
            R"({"C":true,"a":[1,2,{"x":null}],"b":1})"},
           {"{'a': [1, {}], 'b': []}|tojson(indent=2)",
            "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": []\n}"},
           {"'{\"b\": [1, 2.5, null, true], \"a\": \"\\\\u00e9\"}'|fromjson",
            "{'b': [1, 2.5, None, True], 'a': 'é'}"},
           {"('[1, 2]'|from_json)[1] + 1", "3"},
           {"'<é☕>\\n\"'|tojson", R"("<é☕>\n\"")"},
           {"'é😀'|tojson(ensure_ascii=true)", R"("\u00e9\ud83d\ude00")"},
           {"[1.0, 1e20, {1: 2, none: 3}]|tojson", R"([1.0, 1e+20, {"1": 2, "null": 3}])"}},
          true);
}

TEST(TemplateLanguage, Tests)
{
    check({{"missing is defined, n is defined", "(False, True)"},
           {"true is integer, 1 is number, 1.0 is float", "(False, True, True)"},
           {"d is mapping, d is iterable, 's' is sequence", "(True, True, True)"},
           {"4 is even and 6 is divisibleby 3 and 1 is not in [2]", "True"},
           {"n is not none and s is string", "True"},
           {"range is callable, none is none", "(True, True)"}},
          true);
}

TEST(TemplateLanguage, Loops)
{
    check(
        {{"{% for x in l %}{{ loop.index }}{{ x }}{{ loop.previtem }}{{ loop.last }} {% endfor %}",
          "13False 213False 321True "},
         {"{% for x in e %}a{% else %}b{% endfor %}", "b"},
         {"{% for x in l if x > 1 %}{{ x }}{{ loop.length }}{% endfor %}", "3222"},
         {"{% for k, v in d.items() %}{{ k }}{% endfor %}", "baC"},
         {"{% for x in range(9) %}{% if x == 2 %}{% continue %}{% elif x == 5 %}{% break %}"
          "{% endif %}{{ x }}{% endfor %}",
          "0134"},
         {"{% set x = 1 %}{% for a in l %}{% set x = a %}{% endfor %}{{ x }}", "1"},
         {"{% set ns = namespace(x=1) %}{% for a in l %}{% set ns.x = ns.x + a %}{% endfor %}{{ "
          "ns.x }}",
          "7"},
         {"{% for i in [1, [2, [3]]] recursive %}{{ i if i is number else loop(i) }}{{ loop.depth "
          "}}"
          "{% endfor %}",
          "1122332"
          "1"},
         {"{% for x in l %}{{ loop.cycle('a', 'b') }}{{ loop.changed(x > 1) }}{% endfor %}",
          "aTruebTrueaTrue"}});
}

TEST(TemplateLanguage, MacrosAndBlocks)
{
    check({{"{% macro m(a, b=2) %}[{{ a }}{{ b }}]{% endmacro %}{{ m(1) }}{{ m(b=3, a=4) }}",
            "[12][43]"},
           {"{% macro m(a) %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1, 2, k=4) }}",
            "(2,){'k': 4}"},
           {"{% macro f(n) %}{{ 1 if n < 2 else n * f(n - 1)|int }}{% endmacro %}{{ f(10) }}",
            "3628800"},
           {"{% macro o(x) %}<{{ caller(x) }}>{% endmacro %}{% call(a) o(3) %}{{ a }}{{ n }}{% "
            "endcall %}",
            "<35>"},
           {"{% filter trim | replace('a', 'b') %}  banana {% endfilter %}", "bbnbnb"},
           {"{% set a | upper %}x{{ n }}{% endset %}{{ a }}", "X5"},
           {"{% with a = 1 %}{{ a }}{% endwith %}{{ a }}", "1"},
           {"{% generation %}x{% endgeneration %}", "x"},
           {"{% raw %}{{ x }}{% endraw %}", "{{ x }}"}});
}

TEST(TemplateLanguage, WhiteSpaceControl)
{
    check({{"a\n  {% if true %}\n  b\n  {% endif %}\nc", "a\n  b\nc"},
           {"a\n  {%- if true -%}\n  b\n  {%- endif -%}\nc", "abc"},
           {"a\n  {%+ if true +%}\n  b\n  {% endif %}\nc", "a\n  \n  b\nc"},
           {"a\n  {{ n }}\n  {{- n -}}\n  b", "a\n  55b"},
           {"  {# c #}\nx{#- d -#}  y", "xy"},
           {"x\n", "x"},
           {"x\n\n", "x\n"},
           {"a\r\nb\rc", "a\nb\nc"}});
}

TEST(TemplateLanguage, TimeHasEnglishNamesAndNoZone)
{
    check({{"strftime_now('%A %d %B %Y, %H:%M, day %j, week %V %-I%p')",
            "Friday 20 November 2026, 12:00, day 324, week 47 12PM"}},
          true);
    const ChatTemplate clock("{{ strftime_now('%Y') }}");
    EXPECT_EQ(clock.render(nlohmann::ordered_json::object()).text.size(), 4u);
    EXPECT_THROW(clock.render(nlohmann::ordered_json::object(), "yesterday"), Error);
    EXPECT_THROW(clock.render(nlohmann::ordered_json::object(), "2026-02-30"), Error);
}

TEST(TemplateLanguage, ChatMlAndLlama3RenderFromMessages)
{
    const ChatTemplate chatMl("{% for message in messages %}\n"
                              "{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] "
                              "+ '<|im_end|>' + '\\n' }}{% endfor %}\n"
                              "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}"
                              "{% endif %}\n");
    const std::vector<ChatMessage> messages = {{"system", "Be brief."}, {"user", " Hi ☕ "}};
    EXPECT_EQ(chatMl.render(messages, true, "", "<|im_end|>").text,
              "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n Hi ☕ <|im_end|>\n"
              "<|im_start|>assistant\n");

    const ChatTemplate llama3(
        "{{- bos_token }}\n"
        "{%- if messages[0]['role'] == 'system' %}\n"
        "    {%- set system_message = messages[0]['content'] | trim %}\n"
        "    {%- set messages = messages[1:] %}\n"
        "{%- else %}\n    {%- set system_message = '' %}\n{%- endif %}\n"
        "{{- '<|start_header_id|>system<|end_header_id|>\\n\\n' + system_message + '<|eot_id|>' "
        "}}\n"
        "{%- for message in messages %}\n"
        "    {{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n'"
        " + message['content'] | trim + '<|eot_id|>' }}\n"
        "{%- endfor %}\n"
        "{%- if add_generation_prompt %}\n"
        "    {{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}\n{%- endif %}\n");
    EXPECT_EQ(llama3.render(messages, true, "<|begin_of_text|>", "<|eot_id|>").text,
              "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nBe brief.<|eot_id|>"
              "<|start_header_id|>user<|end_header_id|>\n\nHi ☕<|eot_id|>"
              "<|start_header_id|>assistant<|end_header_id|>\n\n");
}

} // namespace
} // namespace fireside
