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
