#include "ui/chat/chat_pdf.h"

#include <QBuffer>
#include <QFile>
#include <QPdfWriter>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtConcurrent>

#include <gtest/gtest.h>

#include <algorithm>

// Everything of a chat is in its PDF file, as pdftotext (package poppler-utils) reads it.
namespace fireside {
namespace {

/// In the order in which it was written.
QString textOfPdf(const QByteArray &pdf)
{
    QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("chat.pdf")));
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(pdf);
    file.close();
    QProcess process;
    process.start(QStringLiteral("pdftotext"),
                  {QStringLiteral("-raw"), file.fileName(), QStringLiteral("-")});
    EXPECT_TRUE(process.waitForFinished() && process.exitCode() == 0) << "package poppler-utils";
    return QString::fromUtf8(process.readAllStandardOutput());
}

QString bare(QString text)
{
    static const QRegularExpression kSpace(
        QStringLiteral("[\\s\\x{200e}\\x{200f}\\x{202a}-\\x{202e}]"));
    return text.remove(kSpace);
}

QString exportedText(const QString &markdown)
{
    return bare(textOfPdf(toPdf(markdown, QStringLiteral("t"))));
}

/// Whether the words are all there, in this order.
testing::AssertionResult hasInOrder(const QString &text, const QStringList &words)
{
    qsizetype at = 0;
    for (const QString &word : words) {
        at = text.indexOf(word, at);
        if (at < 0)
            return testing::AssertionFailure()
                   << "no " << word.toStdString() << " in " << text.toStdString();
        at += word.size();
    }
    return testing::AssertionSuccess();
}

const QStringList kFormulas{"x",
                            "\\frac{a}{b}",
                            "\\sqrt[3]{\\frac{a}{b}}",
                            "\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}",
                            "\\begin{cases}1 & \\text{if } x\\\\2 & y\\end{cases}",
                            "\\int_0^\\infty e^{-x^2}dx = \\frac{\\sqrt\\pi}{2}",
                            "\\left(\\frac{\\frac ab}{c}\\right)",
                            "\\boxed{E=mc^2}",
                            "\\color{red}x",
                            "\\begin{aligned}a&=b\\\\c&=d\\end{aligned}",
                            "\\underbrace{a+b}_{c}",
                            "\\xrightarrow{f}",
                            "\\mathbb{R} \\mathcal{L}",
                            "\\nosuch"};

TEST(ChatPdf, NothingIsLostBehindAFormula)
{
    const QStringList shapes{"one %1 two\n\nthree\n\nfour",
                             "one\n\n%1\n\ntwo three four",
                             "- one %1 two\n- three\n\nfour",
                             "> one %1 two\n\nthree\n\nfour",
                             "## one %1\n\ntwo\nthree\n\nfour",
                             "| one | two |\n|---|---|\n| %1 | three |\n\nfour",
                             "one\n%1\ntwo\n\n```\nthree\n```\n\nfour"};
    QStringList wide = kFormulas;
    wide += QStringLiteral("a+b+").repeated(80) + "c"; // wider than a page
    wide +=
        "\\begin{aligned}a" + QStringLiteral("\\\\ b").repeated(60) + "\\end{aligned}"; // higher
    for (const QString &formula : wide) {
        for (const QString &shape : shapes) {
            for (const char *mark : {"$", "$$"}) {
                const QString text = shape.arg(mark + formula + mark);
                EXPECT_TRUE(hasInOrder(exportedText(text), {"one", "two", "three", "four"}))
                    << text.toStdString();
            }
        }
    }
}

TEST(ChatPdf, LongChatsKeepEveryParagraph)
{
    QString text;
    QStringList words;
    for (int i = 0; i < 400; ++i) {
        const QString number = QString::number(1000 + i);
        words += {"begin" + number, "end" + number};
        text += QStringLiteral("begin%1 $\\frac{a}{b_{%1}}$ some words of a long paragraph that is "
                               "wider than a line of the page so that it wraps end%1\n\n")
                    .arg(number);
        if (i % 10 == 0)
            text += "$$\\sum_{i=1}^{n} i$$\n\n";
    }
    EXPECT_TRUE(hasInOrder(exportedText(text), words));
}

/// QTextDocument lays out a thousand characters and the rest when it is asked for: what changed in
/// between was lost.
TEST(ChatPdf, FormulasBehindALongBeginning)
{
    for (const int paragraphs : {1, 20, 60, 200}) {
        QString text;
        for (int i = 0; i < paragraphs; ++i)
            text +=
                QStringLiteral("Words before number %1, which are some more of them.\n\n").arg(i);
        QStringList words;
        for (int i = 0; i < 40; ++i) {
            words += {QStringLiteral("mid%1x").arg(i), QStringLiteral("behind%1x").arg(i)};
            text += QStringLiteral("mid%1x $\\frac{a}{b}$ behind%1x $x_{%1}$\n\n").arg(i);
        }
        text += "last\n\nofall";
        words += {"last", "ofall"};
        EXPECT_TRUE(hasInOrder(exportedText(text), words)) << paragraphs;
    }
}

TEST(ChatPdf, ItsTextIsTheChats)
{
    const QList<std::pair<QString, QString>> cases{
        {"# First find\n\nfluffy office", "Firstfindfluffyoffice"},
        {"- one\n- two\n  - three\n\n1. four", "•one•two◦three1.four"},
        {"> quoted *words*\n> > deeper", "quotedwordsdeeper"},
        {"```cpp\nint a = 1; // x < y && \"z\"\n\n\tb();\n```", "inta=1;//x<y&&\"z\"b();"},
        {"| a | b |\n|---|---|\n| one<br>two | `1 \\| 2` |", "abonetwo1|2"},
        {"costs $5 to $7 & <div> \\$x\\$", "costs$5to$7&<div>$x$"},
        {"so $\\frac{a}{b}$ and $x^2$, then\n\n$$\\sum_i i$$\n\nend",
         "so$\\frac{a}{b}$and$x^2$,then$$\\sum_ii$$end"},
        {"<kbd>Ctrl</kbd> <b>bold</b> [link](https://example.org/)", "Ctrlboldlink"},
        {"- [x] done\n- [ ] open", "☑done☐open"},
        {"<details>\n<summary>More</summary>\n\nHidden\n\n</details>", "MoreHidden"},
        {"![a cat](file:///etc/passwd) <img src=\"/etc/passwd\">",
         "[image:acat]<imgsrc=\"/etc/passwd\">"}};
    for (const auto &[markdown, expected] : cases)
        EXPECT_EQ(exportedText(markdown).toStdString(), expected.toStdString())
            << markdown.toStdString();
}

TEST(ChatPdf, WideCodeAndTablesFitThePage)
{
    const QString line = QStringLiteral("word").repeated(200);
    EXPECT_EQ(exportedText("```\n" + line + "\n```"), line);
    EXPECT_EQ(exportedText(line), line);
    QString row, words;
    for (int i = 0; i < 12; ++i) {
        row += QStringLiteral("| averylongword%1x ").arg(i);
        words += QStringLiteral("averylongword%1x").arg(i);
    }
    const QString table = exportedText(row + "|\n" + QStringLiteral("|---").repeated(12) + "|\n");
    QString letters = table, expected = words; // cells wrap beside each other
    std::sort(letters.begin(), letters.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(letters, expected) << table.toStdString();
}

TEST(ChatPdf, WhatWasTypedIsNoMarkdown)
{
    QByteArray pdf;
    Message question, reply;
    question.role = QStringLiteral("user");
    question.text = QStringLiteral("# no *heading* <b>x</b> $a$\n  two  \n```\ncode\n```");
    reply.role = QStringLiteral("assistant");
    reply.text = QStringLiteral("**Bold** $a^2$ answer </think> end");
    const PrintedChat printed =
        toPdf(chatBlocks(QStringLiteral("T"), {question, reply}), QStringLiteral("T"), pdf);
    EXPECT_TRUE(printed.complete);
    EXPECT_EQ(printed.missing, QString());
    const QString text = bare(textOfPdf(pdf));
    EXPECT_TRUE(
        hasInOrder(text, {"T", "#no*heading*<b>x</b>$a$two", "code", "Bold", "answer", "end"}));
}

TEST(ChatPdf, RightToLeftIsComplete)
{
    const QString text = exportedText(
        QStringLiteral("`npm run` هو الأمر\n\n| اسم | عدد |\n|---|---|\n| تفاح | 3 |\n\n"
                       "```python\nx = 1 # تعليق\n```\n\nתפוח"));
    for (const char *word : {"npmrun", "3", "x=1#"})
        EXPECT_TRUE(text.contains(QLatin1String(word))) << word << '\n' << text.toStdString();
    // Letters that join are drawn, and read, as forms of their own.
    const QString letters = text.normalized(QString::NormalizationForm_KC);
    for (const char *word : {"هو", "تفاح", "عدد", "תפוח"}) {
        QString turned = QString::fromUtf8(word);
        std::reverse(turned.begin(), turned.end());
        EXPECT_TRUE(letters.contains(QString::fromUtf8(word)) || letters.contains(turned))
            << word << '\n'
            << letters.toStdString();
    }
}

TEST(ChatPdf, CharactersWithoutAFontAreNamed)
{
    QByteArray pdf;
    // Of a script that no font has: private use.
    const PrintedChat printed = toPdf({{QStringLiteral("a \uE123 b \uE123 c")}}, {}, pdf);
    EXPECT_TRUE(printed.complete);
    EXPECT_EQ(printed.missing, QStringLiteral("\uE123"));
    EXPECT_TRUE(hasInOrder(bare(textOfPdf(pdf)), {"a", "b", "c"}));
}

TEST(ChatPdf, MadeOnAnotherThreadItIsTheSame)
{
    const QString text =
        QStringLiteral("one $\\frac{a}{b}$ two &amp; `x` three\n\n```cpp\nint a;\n```");
    const QString here = exportedText(text);
    for (int i = 0; i < 4; ++i) {
        const QByteArray pdf =
            QtConcurrent::run([text] { return toPdf(text, QStringLiteral("t")); }).result();
        EXPECT_EQ(bare(textOfPdf(pdf)), here);
    }
}

/// A device that takes no more than some pages, as a printer that is out of paper.
class ShortDevice : public QPdfWriter
{
public:
    ShortDevice(QIODevice *file, int pages)
        : QPdfWriter(file)
        , m_left(pages)
    {}
    bool newPage() override { return --m_left > 0 && QPdfWriter::newPage(); }

private:
    int m_left;
};

TEST(ChatPdf, PagesThatAreNotTakenAreSaid)
{
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    const QString text = QStringLiteral("A paragraph.\n\n").repeated(400);
    ShortDevice few(&buffer, 2);
    EXPECT_FALSE(printPages(QList<ChatBlock>{{text}}, few).complete);
    ShortDevice enough(&buffer, 1000);
    EXPECT_TRUE(printPages(QList<ChatBlock>{{text}}, enough).complete);
}

} // namespace
} // namespace fireside
