#include "app/help/help_pages.h"
#include "tests/ui/program.h"
#include "ui/help/help_text.h"
#include "ui/style/language.h"

#include <QAction>
#include <QFile>
#include <QKeySequence>
#include <QMenu>
#include <QMenuBar>
#include <QMultiHash>
#include <QRegularExpression>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextDocument>
#include <QTextTable>
#include <QXmlStreamReader>

// The pages of the help say the same in every language, and name things as the window does.
namespace fireside::test {
namespace {

const QStringList kHelpPages{QStringLiteral("first-hour"), QStringLiteral("engines-elsewhere")};
const QString kPlainEnglish = QStringLiteral("en");

QStringList matches(const QString &text, const char *pattern)
{
    QStringList found;
    for (auto it = QRegularExpression(QLatin1String(pattern)).globalMatch(text); it.hasNext();)
        found += it.next().captured(1).simplified();
    return found;
}

/// "- `Ctrl+,` `F1`": what kind of block each is, and the code in it, whatever its place.
QStringList outline(const QString &page)
{
    QStringList blocks;
    const auto begin = [&](const QString &kind, const QString &text) {
        blocks += kind + QLatin1Char('\n') + text;
    };
    static const QRegularExpression start(QStringLiteral("^(#+|\\s*- |\\s*\\d+\\. |\\|)(.*)$"));
    bool open = false;
    for (const QString &line : page.split(QLatin1Char('\n'))) {
        const QRegularExpressionMatch match = start.match(line);
        if (match.hasMatch()) {
            const QString rest = match.captured(2);
            const bool row = match.captured(1) == QLatin1String("|");
            begin(row ? QString::number(rest.count(QLatin1Char('|'))) : match.captured(1), rest);
            open = !row;
        } else if (line.isEmpty()) {
            open = false;
        } else if (open) {
            blocks.last() += QLatin1Char('\n') + line;
        } else {
            begin(QStringLiteral("paragraph"), line);
            open = true;
        }
    }
    for (QString &block : blocks) {
        QStringList code = matches(block, "`([^`]+)`");
        code.sort();
        block =
            block.section(QLatin1Char('\n'), 0, 0) + QLatin1Char(' ') + code.join(QLatin1Char(' '));
    }
    return blocks;
}

QString unmarked(QString text)
{
    text.remove(QLatin1Char('&'));
    return text.endsWith(QChar(0x2026)) ? text.chopped(1) : text;
}

/// Texts of the window and what they are in a language, without the letters that choose them.
QMultiHash<QString, QString> catalogue(const QString &language)
{
    QFile file(
        QStringLiteral(FIRESIDE_SOURCE_DIR "/resources/translations/fireside_%1.ts").arg(language));
    EXPECT_TRUE(file.open(QIODevice::ReadOnly));
    QMultiHash<QString, QString> texts;
    QString source;
    for (QXmlStreamReader reader(&file); !reader.atEnd();) {
        if (reader.readNext() != QXmlStreamReader::StartElement)
            continue;
        if (reader.name() == QLatin1String("source"))
            source = unmarked(reader.readElementText());
        else if (reader.name() == QLatin1String("translation"))
            texts.insert(source,
                         unmarked(reader.readElementText(QXmlStreamReader::IncludeChildElements)));
    }
    return texts;
}

/// What a page names of the window, one part of "File → Get models" after the other.
QStringList namedParts(const QString &page)
{
    QStringList parts;
    for (const QString &name : matches(page, "\\*{1,2}([^*`]+)\\*{1,2}")) {
        for (const QString &part :
             name.split(QRegularExpression(QStringLiteral(" [\u2192\u2190] "))))
            parts += unmarked(part);
    }
    return parts;
}

/// "File → Get models": is there such a menu with such an entry?
bool hasEntry(const QMenuBar &bar, const QStringList &path)
{
    for (const QAction *menu : bar.actions()) {
        if (unmarked(menu->text()) != path.value(0))
            continue;
        for (const QAction *entry : menu->menu()->actions()) {
            if (unmarked(entry->text()) == path.value(1))
                return true;
        }
    }
    return false;
}

TEST(HelpTest, EveryPageIsThereInEveryLanguage)
{
    ASSERT_FALSE(Language::translations().isEmpty());
    for (const QString &page : kHelpPages) {
        const QString english = helpPage(page, kPlainEnglish);
        ASSERT_TRUE(english.startsWith(QLatin1String("# "))) << page.toStdString();
        for (const QString &language : Language::translations()) {
            SCOPED_TRACE((page + QLatin1Char(' ') + language).toStdString());
            EXPECT_NE(helpPage(page, language), english);
            EXPECT_EQ(outline(helpPage(page, language)), outline(english));
        }
        EXPECT_EQ(helpPage(page, QStringLiteral("tlh")), english);
        EXPECT_EQ(helpPage(page, QString()), english);
    }
    EXPECT_TRUE(helpPage(QStringLiteral("no-such-page"), QStringLiteral("de")).isEmpty());
    EXPECT_TRUE(helpPage(QStringLiteral("../help/first-hour.md"), kPlainEnglish).isEmpty());
}

TEST(HelpTest, WhatThePagesNameIsCalledSoInTheWindow)
{
    const QStringList inSources{QStringLiteral("1 of 2"), QStringLiteral("tensor parallelism")};
    for (const QString &language : Language::translations()) {
        const QMultiHash<QString, QString> texts = catalogue(language);
        for (const QString &page : kHelpPages) {
            const QStringList english = namedParts(helpPage(page, kPlainEnglish));
            const QStringList translated = namedParts(helpPage(page, language));
            ASSERT_EQ(english.size(), translated.size());
            int known = 0;
            for (qsizetype i = 0; i < english.size(); ++i) {
                if (!texts.contains(english[i]))
                    continue;
                ++known;
                EXPECT_TRUE(texts.values(english[i]).contains(translated[i]))
                    << language.toStdString() << ": " << english[i].toStdString() << " is not "
                    << translated[i].toStdString();
            }
            EXPECT_GE(known, 7) << page.toStdString();
            // Emphasis of one asterisk is a name; of two it may also be the title of a step.
            for (const QString &name :
                 matches(helpPage(page, kPlainEnglish), "(?<!\\*)\\*([^*]+)\\*(?!\\*)")) {
                for (const QString &part : name.split(QStringLiteral(" \u2192 ")))
                    EXPECT_TRUE(texts.contains(unmarked(part)) || inSources.contains(part))
                        << part.toStdString();
            }
        }
    }
}

TEST(HelpTest, APageOfTheOtherDirectionIsLaidOutFromTheRight)
{
    const auto table = [](const QTextDocument &document) {
        for (QTextFrame *frame : document.rootFrame()->childFrames()) {
            if (auto *found = qobject_cast<QTextTable *>(frame))
                return found;
        }
        return static_cast<QTextTable *>(nullptr);
    };
    const auto cell = [](const QTextTable *in, int row, int column) {
        return in->cellAt(row, column).firstCursorPosition().block().text();
    };
    QTextDocument english, arabic;
    fillHelp(english, helpPage(kHelpPages[1], kPlainEnglish));
    fillHelp(arabic, helpPage(kHelpPages[1], QStringLiteral("ar")));
    for (QTextBlock block = arabic.begin(); block.isValid(); block = block.next())
        EXPECT_EQ(block.textDirection(), Qt::RightToLeft) << block.text().toStdString();
    for (QTextBlock block = english.begin(); block.isValid(); block = block.next())
        EXPECT_EQ(block.textDirection(), Qt::LeftToRight) << block.text().toStdString();
    const auto hasItalics = [](const QTextDocument &document) {
        for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
            for (auto it = block.begin(); !it.atEnd(); ++it) {
                if (it.fragment().charFormat().fontItalic())
                    return true;
            }
        }
        return false;
    };
    EXPECT_TRUE(hasItalics(english));
    EXPECT_FALSE(hasItalics(arabic)); // there are none in its script
    ASSERT_NE(table(english), nullptr);
    ASSERT_NE(table(arabic), nullptr);
    EXPECT_EQ(cell(table(english), 1, 0), QStringLiteral("vLLM"));
    EXPECT_EQ(cell(table(arabic), 1, 1), QStringLiteral("vLLM"));
    EXPECT_TRUE(cell(table(arabic), 1, 0).contains(QLatin1String("http://localhost:8000")));
    EXPECT_TRUE(arabic.toPlainText().contains(QStringLiteral("\u200e--max-model-len\u200e")));
    EXPECT_FALSE(english.toPlainText().contains(QChar(0x200e)));
}

TEST(HelpTest, TextThatIsNoPageDoesNoHarm)
{
    QTextDocument document;
    for (const QString &text :
         {QString(), QStringLiteral("`"), QStringLiteral("``"), QStringLiteral("`Ctrl+`"),
          QStringLiteral("|a|\n|-|\n|"), QStringLiteral("\u05d0|a|b|\n|-|-|\n|c|")}) {
        fillHelp(document, text);
        EXPECT_FALSE(document.toPlainText().contains(QChar(0x200e)));
    }
    fillHelp(document, QStringLiteral("Press `Ctrl+L` or `Esc` in `.gguf`."));
    const QString keys = QKeySequence(QStringLiteral("Ctrl+L")).toString(QKeySequence::NativeText);
    EXPECT_TRUE(document.toPlainText().startsWith(QStringLiteral("Press ") + keys));
    EXPECT_TRUE(document.toPlainText().endsWith(QLatin1String(" in .gguf.")));
}

class HelpWindowTest : public ProgramTest
{
protected:
    void TearDown() override
    {
        Language::apply(AppearanceSettings{.language = kPlainEnglish.toStdString()});
    }
};

TEST_F(HelpWindowTest, TheFirstHourSpeaksTheLanguageOfTheWindowAndNamesItsMenus)
{
    for (const QString &language : QStringList(kPlainEnglish) + Language::translations()) {
        SCOPED_TRACE(language.toStdString());
        Language::apply(AppearanceSettings{.language = language.toStdString()});
        start();
        press("F1");
        auto *help = window().findChild<QTextBrowser *>(QStringLiteral("helpText"));
        ASSERT_NE(help, nullptr);
        const QString page = helpPage(kHelpPages[0], language);
        EXPECT_TRUE(help->toPlainText().startsWith(
            page.section(QLatin1Char('\n'), 0, 0).mid(2))); // without "# "
        EXPECT_EQ(help->textCursor().position(), 0);
        int paths = 0;
        for (const QString &name : matches(page, "\\*\\*([^*]+)\\*\\*")) {
            const QStringList path =
                name.split(QRegularExpression(QStringLiteral(" [\u2192\u2190] ")));
            EXPECT_TRUE(hasEntry(*window().menuBar(), path)) << name.toStdString();
            ++paths;
        }
        EXPECT_EQ(paths, 3);
        end();
    }
}

} // namespace
} // namespace fireside::test
