// What servers ask of the user, as forms are read and filled in.
#include "app/tools/mcp/elicitation.h"

#include <gtest/gtest.h>

namespace fireside::mcp {
namespace {

std::optional<InputRequest> request(const char *params, QString *why = nullptr)
{
    QString problem;
    const auto read = readInputRequest(*parsedJson(params), QStringLiteral("web"), problem);
    EXPECT_EQ(read.has_value(), problem.isEmpty()) << qPrintable(problem);
    if (why)
        *why = problem;
    return read;
}

InputField field(const char *schema)
{
    const QByteArray params =
        R"({"message":"m","requestedSchema":{"properties":{"x":)" + QByteArray(schema) + "}}}";
    const auto read = request(params.constData());
    return read && read->fields.size() == 1 ? read->fields.first() : InputField{};
}

/// As JSON; "-": left out; else why it cannot be sent.
QString checked(const InputField &field, const QVariant &entered)
{
    QString problem;
    const auto value = checkedInput(field, entered, problem);
    EXPECT_EQ(value.has_value(), problem.isEmpty());
    return !value             ? problem
           : value->is_null() ? QStringLiteral("-")
                              : QString::fromUtf8(bytesOf(*value));
}

TEST(Elicitation, FormsOfAllKinds)
{
    const auto read = request(R"({"message":"Who?","requestedSchema":{"type":"object","properties":{
        "name":{"type":"string","title":"Name","description":"d","default":"Ada","minLength":2},
        "mail":{"type":"string","format":"email"},
        "age":{"type":"integer","minimum":1,"maximum":150,"default":30},
        "score":{"type":"number","default":95.5},
        "sure":{"type":"boolean","default":true},
        "plain":{"type":"string","enum":["a","b"],"enumNames":["A"],"default":"b"},
        "titled":{"type":"string","oneOf":[{"const":"r","title":"Red"},{"const":"g"}]},
        "many":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"string","enum":["x","y","z"]},
                "default":["z","x","unknown"]},
        "more":{"type":"array","items":{"anyOf":[{"const":"1","title":"One"}]}}
        },"required":["name","many",7]}})");
    ASSERT_TRUE(read);
    EXPECT_EQ(read->server, QStringLiteral("web"));
    EXPECT_EQ(read->message, QStringLiteral("Who?"));
    ASSERT_EQ(read->fields.size(), 9);
    const auto &fields = read->fields;
    EXPECT_EQ(fields[0].title, QStringLiteral("Name"));
    EXPECT_EQ(fields[0].preset.toString(), QStringLiteral("Ada"));
    EXPECT_TRUE(fields[0].required);
    EXPECT_FALSE(fields[1].required);
    EXPECT_EQ(fields[1].format, InputField::Email);
    EXPECT_EQ(fields[2].kind, InputField::Integer);
    EXPECT_EQ(fields[2].most, 150.0);
    EXPECT_EQ(fields[3].preset.toString(), QStringLiteral("95.5"));
    EXPECT_TRUE(fields[4].preset.toBool());
    EXPECT_EQ(fields[5].labels, (QStringList{QStringLiteral("A"), QStringLiteral("b")}));
    EXPECT_EQ(fields[5].preset.toString(), QStringLiteral("b"));
    EXPECT_EQ(fields[6].labels, (QStringList{QStringLiteral("Red"), QStringLiteral("g")}));
    EXPECT_EQ(fields[7].preset.toStringList(),
              (QStringList{QStringLiteral("x"), QStringLiteral("z")}));
    EXPECT_EQ(fields[8].labels, QStringList{QStringLiteral("One")});
    // What is filled in already can be sent as it is.
    EXPECT_EQ(checked(fields[2], fields[2].preset), QStringLiteral("30"));
    EXPECT_EQ(checked(fields[3], fields[3].preset), QStringLiteral("95.5"));
    EXPECT_EQ(checked(fields[7], fields[7].preset), QStringLiteral(R"(["x","z"])"));
}

TEST(Elicitation, WhatIsNoFormIsRefusedWithAReason)
{
    QByteArray many = R"({"requestedSchema":{"properties":{)";
    for (int i = 0; i < 51; ++i)
        many += "\"p" + QByteArray::number(i) + R"(":{"type":"string"},)";
    many.chop(1);
    many += "}}}";
    for (
        const QByteArray &bad :
        {QByteArray("{}"), QByteArray("[]"), QByteArray("7"), QByteArray(R"({"mode":"voice"})"),
         QByteArray(R"({"requestedSchema":{"properties":[]}})"),
         QByteArray(R"({"requestedSchema":{"properties":{"x":{"type":"object"}}}})"),
         QByteArray(R"({"requestedSchema":{"properties":{"x":7}}})"),
         QByteArray(R"({"requestedSchema":{"properties":{"":{"type":"string"}}}})"),
         QByteArray(R"({"requestedSchema":{"properties":{"x":{"type":"string","enum":[]}}}})"),
         QByteArray(R"({"requestedSchema":{"properties":{"x":{"type":"string","enum":[7]}}}})"),
         QByteArray(
             R"({"requestedSchema":{"properties":{"x":{"type":"array","items":{"type":"string"}}}}})"),
         QByteArray(R"({"requestedSchema":{"properties":{"x":{"type":["string","null"]}}}})"), many,
         R"({"requestedSchema":{"properties":{")" + QByteArray(300, 'n') +
             R"(":{"type":"string"}}}})"}) {
        QString why;
        EXPECT_FALSE(request(bad.constData(), &why)) << bad.left(100).data();
        EXPECT_FALSE(why.isEmpty());
    }
    const QByteArray longOne =
        R"({"message":")" + QByteArray(10'000, 'm') + R"(","requestedSchema":{"properties":{}}})";
    EXPECT_EQ(request(longOne.constData())->message.size(), 4000);
    // Limits that are none are none.
    EXPECT_FALSE(field(R"({"type":"number","minimum":"1","maximum":null})").least);
}

TEST(Elicitation, PagesAreHttpsOrOfThisComputer)
{
    const auto page = [](const char *url) {
        const QByteArray params =
            R"({"mode":"url","message":"m","elicitationId":"e","url":")" + QByteArray(url) + "\"}";
        QString why;
        return request(params.constData(), &why);
    };
    EXPECT_EQ(page("https://example.org/pay?x=1")->page.host(), QStringLiteral("example.org"));
    EXPECT_EQ(page("https://example.org/pay?x=1")->id, QStringLiteral("e"));
    EXPECT_TRUE(page("http://127.0.0.1:5/x"));
    for (const char *bad : {"http://example.org", "javascript:alert(1)", "file:///etc/passwd", "",
                            "https://", "https://u:p@example.org/", "data:text/html,x", "x"})
        EXPECT_FALSE(page(bad)) << bad;
}

TEST(Elicitation, WhatIsEnteredIsChecked)
{
    InputField text = field(R"({"type":"string","minLength":2,"maxLength":3})");
    EXPECT_EQ(checked(text, QStringLiteral("äöü")), QStringLiteral("\"äöü\""));
    EXPECT_EQ(checked(text, QString()), QStringLiteral("-"));
    EXPECT_TRUE(checked(text, QStringLiteral("a")).contains(QLatin1String("at least 2")));
    EXPECT_TRUE(checked(text, QStringLiteral("abcd")).contains(QLatin1String("at most 3")));
    EXPECT_EQ(checked(text, QStringLiteral("😀😀😀")), QStringLiteral("\"😀😀😀\""));
    text.required = true;
    EXPECT_TRUE(checked(text, QString()).contains(QLatin1String("filled in")));

    const InputField whole = field(R"({"type":"integer","minimum":-5,"maximum":10})");
    EXPECT_EQ(checked(whole, QStringLiteral(" 7 ")), QStringLiteral("7"));
    EXPECT_EQ(checked(whole, QStringLiteral("-5")), QStringLiteral("-5"));
    for (const char *bad : {"7.5", "11", "-6", "x", "nan", "inf", "1e400", "7 8"})
        EXPECT_FALSE(checked(whole, QLatin1String(bad)).contains(QLatin1Char('7')) &&
                     checked(whole, QLatin1String(bad)).size() < 3)
            << bad;
    EXPECT_TRUE(checked(whole, QStringLiteral("7.5")).contains(QLatin1String("whole")));
    EXPECT_TRUE(checked(whole, QStringLiteral("11")).contains(QLatin1String("at most")));
    EXPECT_TRUE(checked(whole, QStringLiteral("nan")).contains(QLatin1String("no number")));
    EXPECT_EQ(checked(field(R"({"type":"number"})"), QStringLiteral("2.50")),
              QStringLiteral("2.5"));

    const InputField one = field(R"({"type":"string","enum":["a","b"]})");
    EXPECT_EQ(checked(one, QStringLiteral("b")), QStringLiteral("\"b\""));
    EXPECT_TRUE(checked(one, QStringLiteral("c")).contains(QLatin1String("choices")));
    const InputField several =
        field(R"({"type":"array","minItems":2,"items":{"enum":["a","b","c"]}})");
    EXPECT_EQ(checked(several,
                      QStringList{QStringLiteral("c"), QStringLiteral("a"), QStringLiteral("z")}),
              QStringLiteral(R"(["a","c"])"));
    EXPECT_TRUE(checked(several, QStringList{QStringLiteral("a")}).contains(QLatin1String("2")));
    EXPECT_EQ(checked(several, QStringList()), QStringLiteral("-"));
    EXPECT_EQ(checked(field(R"({"type":"boolean"})"), QVariant()), QStringLiteral("false"));
}

TEST(Elicitation, FormatsAreChecked)
{
    const auto fits = [](const char *format, const char *text) {
        const InputField one =
            field((R"({"type":"string","format":")" + QByteArray(format) + "\"}").constData());
        return checked(one, QString::fromUtf8(text)).startsWith(QLatin1Char('"'));
    };
    EXPECT_TRUE(fits("email", "a@b"));
    EXPECT_TRUE(fits("uri", "https://x/y"));
    EXPECT_TRUE(fits("date", "2026-02-28"));
    EXPECT_TRUE(fits("date-time", "2026-02-28T10:00:00Z"));
    EXPECT_TRUE(fits("of the future", "anything"));
    for (const auto &[format, bad] :
         {std::pair("email", "a"), std::pair("email", "@b"), std::pair("email", "a@b@c"),
          std::pair("uri", "x y"), std::pair("uri", "/path"), std::pair("date", "2026-02-30"),
          std::pair("date", "28.2.2026"), std::pair("date-time", "2026-02-28"),
          std::pair("date-time", "now")})
        EXPECT_FALSE(fits(format, bad)) << format << " " << bad;
}

TEST(Elicitation, PatternsAreChecked)
{
    const InputField code = field(R"({"type":"string","pattern":"^[A-Z]{3}-\\d+$","maxLength":6})");
    ASSERT_TRUE(code.pattern);
    EXPECT_EQ(checked(code, QStringLiteral("ABC-12")), QStringLiteral("\"ABC-12\""));
    EXPECT_EQ(checked(code, QString()), QStringLiteral("-"));
    for (const char *bad : {"abc-12", "ABC-", " ABC-1", "ABC-1x", "ABC"})
        EXPECT_TRUE(checked(code, QLatin1String(bad)).contains(QLatin1String("^[A-Z]{3}-\\d+$")))
            << bad;
    EXPECT_TRUE(checked(code, QStringLiteral("ABC-123")).contains(QLatin1String("at most 6")));
    // Somewhere in the text, if it does not say otherwise; letters of any planes are one each.
    EXPECT_EQ(checked(field(R"({"type":"string","pattern":"b"})"), QStringLiteral("abc")),
              QStringLiteral("\"abc\""));
    const InputField three = field(R"({"type":"string","pattern":"^.{3}$"})");
    EXPECT_EQ(checked(three, QStringLiteral("😀ä𐍈")), QStringLiteral("\"😀ä𐍈\""));
    EXPECT_NE(checked(three, QStringLiteral("😀ä")), QStringLiteral("\"😀ä\""));
    // Half a letter is none.
    EXPECT_FALSE(TextPattern::read(QStringLiteral("^a$"))->matches(QString(QChar(0xD83D))));
    EXPECT_NE(code, field(R"({"type":"string","pattern":"^[A-Z]$","maxLength":6})"));
    // The sentence has an end, and a nothing is not matched by what is no text.
    const InputField wide =
        field((R"({"type":"string","pattern":")" + QByteArray(500, 'a') + "\"}").constData());
    EXPECT_LT(checked(wide, QStringLiteral("b")).size(), 250);
    EXPECT_FALSE(field(R"({"type":"string","pattern":7})").pattern);
    EXPECT_FALSE(field(R"({"type":"integer","pattern":"a"})").pattern);
}

TEST(Elicitation, PatternsBeyondAutomataAreLeftToTheServer)
{
    const QString deep = QString(5000, QLatin1Char('(')) + QString(5000, QLatin1Char(')'));
    const QString wide = QLatin1Char('[') + QStringLiteral("acegik").repeated(2000);
    QString letters; // apart from each other
    for (int i = 0; i < 400; ++i)
        letters += QChar(0x4E00 + 2 * i);
    for (const QString &pattern :
         {QStringLiteral("(?=a)b"), QStringLiteral("(?<!a)b"), QStringLiteral("(a)\\1"),
          QStringLiteral("\\p{L}+"), QStringLiteral("["), QStringLiteral("a{2,1}"),
          QStringLiteral("*"), QStringLiteral("(?:(?:a{1000}){1000}){1000}"),
          QStringLiteral("a{0,999999}"), QStringLiteral("(a|b)*a(a|b){30}"),
          QStringLiteral("(.*)(.*)(.*)a.{40}b"), deep, wide + QLatin1Char(']'),
          QStringLiteral("(?:[%1]?){900}").arg(letters)}) {
        EXPECT_FALSE(TextPattern::read(pattern)) << qPrintable(pattern.left(60));
        const ToolJson schema{{"type", "string"}, {"pattern", pattern.toStdString()}};
        const InputField any = field(bytesOf(schema).constData());
        EXPECT_EQ(any.name, QStringLiteral("x"));
        EXPECT_EQ(checked(any, QStringLiteral("any")), QStringLiteral("\"any\""));
    }
}

TEST(Elicitation, PatternsThatStopOthersTakeAStepALetter)
{
    // A checker that goes back would not come to an end with these.
    const QString text = QString(32'767, QLatin1Char('a')) + QLatin1Char('!');
    for (const char *pattern : {"^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "^(.*a){9}$", "^(\\w*)*\\W?b$",
                                "^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+$"}) {
        const auto read = TextPattern::read(QLatin1String(pattern));
        ASSERT_TRUE(read) << pattern;
        EXPECT_FALSE(read->matches(text)) << pattern;
    }
    EXPECT_TRUE(TextPattern::read(QStringLiteral("^(a+)+!$"))->matches(text));
}

TEST(Elicitation, PatternsThatFormsHaveAreNotBeyondThem)
{
    for (const char *pattern :
         {"^[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\\.[a-zA-Z]{2,}$", "^.{1,255}$", "^[\\w-]{3,64}$",
          "^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$",
          "^\\+?[1-9]\\d{1,14}$", "^[A-Z]{2}\\d{2}[A-Z0-9]{11,30}$",
          "^(https?|ftp)://[^\\s/$.?#].[^\\s]*$",
          "^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(-[0-9A-Za-z.-]+)?(\\+[0-9A-Za-z.-]+)?$",
          "^(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.(?!$)|$)){4}$", "[a-z]{1,40}",
          "^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$"})
        EXPECT_EQ(TextPattern::read(QLatin1String(pattern)).has_value(),
                  !QByteArray(pattern).contains("(?!"))
            << pattern;
}

TEST(Elicitation, AnswersAreOneOfThree)
{
    EXPECT_EQ(bytesOf(inputResult({InputAnswer::Accept, {{"a", 1}}})),
              R"({"action":"accept","content":{"a":1}})");
    EXPECT_EQ(bytesOf(inputResult({InputAnswer::Accept, {}})), R"({"action":"accept"})");
    EXPECT_EQ(bytesOf(inputResult({InputAnswer::Decline, {{"a", 1}}})), R"({"action":"decline"})");
    EXPECT_EQ(bytesOf(inputResult({})), R"({"action":"cancel"})");
}

} // namespace
} // namespace fireside::mcp
