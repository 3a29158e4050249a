#include "ui/transcript/code_colours.h"
#include "ui/transcript/code_languages.h"

#include <gtest/gtest.h>

namespace fireside {
namespace {

/// "keyword:def function:f …"
QString describe(const QString &code, const QString &language)
{
    static const char *kNames[] = {"keyword", "type", "string", "comment", "number", "function"};
    QStringList parts;
    for (const ColouredRange &range : colourCode(code, language))
        parts += QLatin1String(kNames[int(range.colour)]) + QLatin1Char(':') +
                 code.mid(range.start, range.length);
    return parts.join(QLatin1Char('|'));
}

TEST(CodeColours, KnowsTheCommonLanguages)
{
    EXPECT_EQ(describe("def f(x): return 'a' # c", "python"),
              "keyword:def|function:f|keyword:return|string:'a'|comment:# c");
    EXPECT_EQ(describe("int a = 0x1f; /* b\nc */ foo();", "cpp"),
              "type:int|number:0x1f|comment:/* b\nc */|function:foo");
    EXPECT_EQ(describe("{\"a\": [1, true]}", "json"), "string:\"a\"|number:1|keyword:true");
    EXPECT_EQ(describe("SELECT a FROM t -- x", "sql"), "keyword:SELECT|keyword:FROM|comment:-- x");
    EXPECT_EQ(describe("echo \"$#\" # n", "bash"), "type:echo|string:\"$#\"|comment:# n");
    EXPECT_EQ(describe("<a href=\"x\">b</a>", "html"),
              "keyword:a|type:href|string:\"x\"|keyword:a");
    EXPECT_EQ(describe("let s = `a\nb`;", "ts"), "keyword:let|string:`a\nb`");
    EXPECT_EQ(describe("+new\n-old", "diff"), "string:+new|keyword:-old");
    for (const char *name : {"rust", "go", "java", "c", "js", "sh", "yaml", "css", "PYTHON"})
        EXPECT_NE(findCodeLanguage(QString::fromLatin1(name)), nullptr) << name;
    EXPECT_TRUE(colourCode(u"if x", QStringLiteral("klingon")).isEmpty());
    EXPECT_EQ(languageTitle(QStringLiteral("ts")), QStringLiteral("TypeScript"));
    EXPECT_EQ(languageTitle(QStringLiteral("klingon")), QStringLiteral("klingon"));
}

/// What people paste most, each with what is peculiar to it.
TEST(CodeColours, TakesEachLanguageAsItIs)
{
    const struct
    {
        const char *language, *code, *expected;
    } cases[] = {
        {"c", "#include <stdio.h>\nint a; /* # */", "keyword:#include|type:int|comment:/* # */"},
        {"cpp", "auto s = 'x'; // it's", "keyword:auto|string:'x'|comment:// it's"},
        {"csharp", "public string A => \"b\";", "keyword:public|type:string|string:\"b\""},
        {"java", "@Override public int f()", "keyword:public|type:int|function:f"},
        {"kotlin", "fun f(): Int = 1", "keyword:fun|function:f|type:Int|number:1"},
        {"javascript", "const a = async () => `b${1}`",
         "keyword:const|keyword:async|string:`b${1}`"},
        {"typescript", "type A = string | null", "keyword:type|type:string|keyword:null"},
        {"python", "@dec\nx = r'a' if not y else \"\"\"b\nc\"\"\"",
         "string:'a'|keyword:if|keyword:not|keyword:else|string:\"\"\"b\nc\"\"\""},
        {"go", "func f() { s := `a\nb` }", "keyword:func|function:f|string:`a\nb`"},
        {"rust", "fn f<'a>(c: &'a str) { '\"'; '\\n' } // x",
         "keyword:fn|type:str|string:'\"'|string:'\\n'|comment:// x"},
        {"php", "$a = 'b'; // c", "string:'b'|comment:// c"},
        {"ruby", "def f # c\n  puts 'x'\nend",
         "keyword:def|comment:# c|keyword:puts|string:'x'|keyword:end"},
        {"swift", "let a: Int = 1", "keyword:let|type:Int|number:1"},
        {"sql", "select 'it''s' from t", "keyword:select|string:'it'|string:'s'|keyword:from"},
        {"bash", "for f in *; do echo \"$f\"; done",
         "keyword:for|keyword:in|keyword:do|type:echo|string:\"$f\"|keyword:done"},
        {"powershell", "Function F { Return 1 } # c",
         "keyword:Function|keyword:Return|number:1|comment:# c"},
        {"yaml", "a-b: don't\n- c: \"d\" # e", "type:a-b|type:c|string:\"d\"|comment:# e"},
        {"toml", "[x]\nkey = \"v\"", "type:key|string:\"v\""},
        {"css", "a { background: url(http://x/y); }\n  font-size: 2px; /* c */",
         "function:url|type:font-size|number:2px|comment:/* c */"},
        {"xml", "<!-- a --><b c='d'>e's</b>",
         "comment:<!-- a -->|keyword:b|type:c|string:'d'|keyword:b"},
        {"r", "f <- function(x) TRUE # c", "keyword:function|keyword:TRUE|comment:# c"},
        {"dart", "final List<int> a = [];", "keyword:final|type:List|type:int"},
        {"mermaid", "graph TD\n  A[\"x\"] --> B %% c",
         "keyword:graph|type:TD|string:\"x\"|comment:%% c"},
        {"diff", "@@ -1 +1 @@\n+a\n-b\n c", "function:@@ -1 +1 @@|string:+a|keyword:-b"},
    };
    for (const auto &[language, code, expected] : cases)
        EXPECT_EQ(describe(code, language), expected) << language;
}

TEST(CodeColours, UnfinishedCodeEndsAtTheEnd)
{
    for (const char *code :
         {"\"open", "'open\\", "/* open", "\"\"\"open", "<a href=\"", "0x", "\\"}) {
        for (const char *language : {"cpp", "python", "html", "js"}) {
            qsizetype end = 0;
            const QString text = QString::fromLatin1(code);
            for (const ColouredRange &range : colourCode(text, QString::fromLatin1(language))) {
                EXPECT_GE(range.start, end);
                end = range.start + range.length;
                EXPECT_LE(end, text.size()) << code << " " << language;
            }
        }
    }
}

} // namespace
} // namespace fireside
