#include "app/chat/open_chats.h"
#include "tests/ui/program.h"
#include "ui/chat/welcome.h"
#include "ui/program_windows.h"
#include "ui/style/icon_text_button.h"
#include "ui/style/icons.h"
#include "ui/style/language.h"
#include "ui/style/shortcut_menu.h"

#include <QAction>
#include <QApplication>
#include <QDialogButtonBox>
#include <QFile>
#include <QHash>
#include <QImage>
#include <QLocale>
#include <QMenu>
#include <QMenuBar>
#include <QPointer>
#include <QPushButton>
#include <QSignalSpy>
#include <QStyle>
#include <QStyleOptionMenuItem>
#include <QTest>

#include <algorithm>
#include <cstdlib>

// The program speaks other languages, and changes them while it runs.
namespace fireside::test {
namespace {

class LanguageTest : public testing::Test
{
protected:
    void TearDown() override
    {
        m_program.reset();
        Language::apply(AppearanceSettings{.language = "en"});
    }

    void start(const char *language)
    {
        choose(language);
        m_program = std::make_unique<ProgramWindows>(
            settings(), m_chats, [this](ChatController &chat) { return m_parts.another(chat); });
        m_program->window().show();
    }

    void choose(const char *language)
    {
        AppearanceSettings looks = settings().appearance();
        looks.language = language;
        settings().setAppearance(looks);
        QCoreApplication::processEvents();
    }

    static QString plainName(const QAction &action)
    {
        return action.text().remove(QLatin1Char('&'));
    }
    QString firstMenu() { return m_program->window().menuBar()->actions().first()->text(); }

    AppSettings &settings() { return m_parts.settings; }

    PrivateHome m_home;
    Program m_parts;
    OpenChats m_chats{m_parts.settings, m_parts.store, m_parts.engine, &m_parts.tools};
    std::unique_ptr<ProgramWindows> m_program;
};

TEST_F(LanguageTest, EachChoiceHasItsCatalogue)
{
    for (const SettingChoice &choice : kLanguageChoices) {
        const QString word = QString::fromLatin1(choice.word);
        const bool translated = word != QLatin1String("system") && word != QLatin1String("en");
        EXPECT_EQ(Language::translations().contains(word), translated) << choice.word;
    }
    EXPECT_EQ(Language::translations().size(), qsizetype(kLanguageChoices.size()) - 2);
}

TEST_F(LanguageTest, ButtonsOfQtsAreTranslatedWithoutItsCatalogues)
{
    for (const auto &[language, word] : {std::pair{"de", "Schließen"}, std::pair{"ar", "إغلاق"}}) {
        choose(language);
        Language::apply(settings().appearance());
        const QDialogButtonBox box(QDialogButtonBox::Close);
        EXPECT_EQ(box.button(QDialogButtonBox::Close)->text().remove(QLatin1Char('&')),
                  QString::fromUtf8(word));
    }
}

TEST_F(LanguageTest, WhatIsFoldedPointsToWhereOneReadsOn)
{
    const auto drawn = [] { return icon(IconName::ChevronRight).pixmap(24, 24).toImage(); };
    const QImage right = drawn();
    Language::apply(AppearanceSettings{.language = "ar"});
    const QImage left = drawn();
    EXPECT_NE(left, right);
    int before = 0, after = 0; // ink left of the middle
    for (int y = 0; y < left.height(); ++y)
        for (int x = 0; x < left.width() / 2; ++x) {
            before += qAlpha(right.pixel(x, y));
            after += qAlpha(left.pixel(x, y));
        }
    EXPECT_GT(after, 0);
    EXPECT_NE(before, after);
}

TEST_F(LanguageTest, TheWindowIsMadeAnewWhereItWasAndLosesNothing)
{
    start("en");
    EXPECT_EQ(firstMenu(), QStringLiteral("&File"));
    const QSize size(760, 650); // as wide as the screen lets it be
    m_program->window().resize(size);
    QSignalSpy changed(m_program.get(), &ProgramWindows::languageChanged);
    const QPointer<MainWindow> old = &m_program->window();
    choose("de");
    EXPECT_EQ(changed.count(), 1);
    EXPECT_TRUE(old.isNull());
    EXPECT_EQ(firstMenu(), QStringLiteral("&Datei"));
    EXPECT_TRUE(m_program->window().isVisible());
    EXPECT_EQ(m_program->window().size(), size);
    EXPECT_EQ(QLocale().toString(1234.5, 'f', 1), QStringLiteral("1.234,5"));
}

TEST_F(LanguageTest, ArabicIsLaidOutFromRightToLeft)
{
    start("ar");
    EXPECT_TRUE(QGuiApplication::isRightToLeft());
    EXPECT_EQ(m_program->window().layoutDirection(), Qt::RightToLeft);
    choose("en");
    EXPECT_FALSE(QGuiApplication::isRightToLeft());
    EXPECT_EQ(firstMenu(), QStringLiteral("&File"));
}

TEST_F(LanguageTest, EnglishQuestionsOfTheWelcomeEndWithTheirMarksInArabic)
{
    start("ar");
    Welcome welcome;
    ModelStatus starter;
    starter.builtIn = true;
    welcome.showModel(starter);
    welcome.setSendable(true);
    QSignalSpy asked(&welcome, &Welcome::exampleChosen);
    for (QPushButton *button : welcome.findChildren<QPushButton *>()) {
        if (button->property("role") != QLatin1String("card"))
            continue;
        EXPECT_TRUE(button->text().endsWith(QChar(0x200E))) << button->text().toStdString();
        button->click();
        EXPECT_EQ(asked.takeLast().at(0).toString() + QChar(0x200E), button->text());
    }
}

TEST_F(LanguageTest, TheNewChatButtonHasItsIconBesideItsTextInBothDirections)
{
    for (const char *language : {"en", "ar"}) {
        choose(language);
        Language::apply(settings().appearance());
        IconTextButton button(icon(IconName::NewChat), QStringLiteral("x"));
        button.setIconSize(QSize(16, 16));
        button.resize(200, 36);
        const QImage with = button.grab().toImage();
        button.setIcon({});
        const QImage without = button.grab().toImage();
        int first = 200, last = -1; // columns of the icon
        for (int x = 0; x < with.width(); ++x)
            for (int y = 0; y < with.height(); ++y) {
                if (with.pixel(x, y) == without.pixel(x, y))
                    continue;
                first = std::min(first, x);
                last = std::max(last, x);
            }
        ASSERT_GE(last, 0) << language << ": no icon";
        EXPECT_LE(last - first, 18);
        const bool left = (first + last) / 2 < 100;
        EXPECT_EQ(left, QLatin1String(language) == QLatin1String("en"));
        EXPECT_LT(std::abs((first + last) / 2 - 100), 30) << "beside the text";
    }
}

TEST_F(LanguageTest, TheMenusHaveDifferentNames)
{
    start("en");
    for (const char *language : {"en", "de", "ar"}) {
        choose(language);
        QStringList names;
        for (const QAction *menu : m_program->window().menuBar()->actions())
            names += plainName(*menu);
        for (const QString &one : std::as_const(names))
            for (const QString &other : std::as_const(names))
                EXPECT_FALSE(&one != &other && other.startsWith(one))
                    << language << ": " << qPrintable(one) << " and " << qPrintable(other);
    }
}

TEST_F(LanguageTest, GermanHasOnePluralOfToken)
{
    QFile file(QStringLiteral(FIRESIDE_SOURCE_DIR "/resources/translations/fireside_de.ts"));
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    for (const QByteArray &line : file.readAll().split('\n')) {
        EXPECT_FALSE(line.contains("Tokens") && !line.contains("<source>")) << line.toStdString();
    }
}

/// A letter of two entries of a menu chooses neither at once.
void expectOwnLetters(const QList<QAction *> &entries)
{
    QHash<QChar, QString> known;
    for (const QAction *entry : entries) {
        if (entry->menu())
            expectOwnLetters(entry->menu()->actions());
        const qsizetype mark = entry->text().indexOf(QLatin1Char('&'));
        if (mark < 0 || mark + 1 >= entry->text().size())
            continue;
        const QChar letter = entry->text()[mark + 1].toLower();
        EXPECT_FALSE(known.contains(letter))
            << known.value(letter).toStdString() << " and " << entry->text().toStdString();
        known.insert(letter, entry->text());
    }
}

TEST_F(LanguageTest, EveryEntryOfAMenuHasALetterOfItsOwn)
{
    start("en");
    expectOwnLetters(m_program->window().menuBar()->actions());
    choose("de");
    expectOwnLetters(m_program->window().menuBar()->actions());
}

/// What a menu draws of an entry.
class DrawnMenu : public ShortcutMenu
{
public:
    QString drawn(const QAction *action) const
    {
        QStyleOptionMenuItem option;
        initStyleOption(&option, action);
        return option.text;
    }
};

TEST_F(LanguageTest, KeysReadFromLeftToRightInArabic)
{
    start("ar");
    DrawnMenu menu;
    QAction *action = menu.addAction(QStringLiteral("x"));
    action->setShortcut(QKeySequence(QStringLiteral("Ctrl+,")));
    EXPECT_EQ(menu.drawn(action), QStringLiteral("x\t\u200eCtrl+,\u200e"));
    for (QAction *entry : m_program->window().menuBar()->actions())
        EXPECT_NE(qobject_cast<ShortcutMenu *>(entry->menu()), nullptr);
    choose("en");
    EXPECT_EQ(menu.drawn(action), QStringLiteral("x\tCtrl+,"));
}

TEST_F(LanguageTest, NoLetterIsUnderlinedWhereLettersJoin)
{
    const auto underlined = [] {
        return QApplication::style()->styleHint(QStyle::SH_UnderlineShortcut) != 0;
    };
    start("ar");
    EXPECT_FALSE(underlined());
    const QPushButton *button =
        m_program->window().findChild<QPushButton *>(QStringLiteral("contextLeaveOut"));
    ASSERT_NE(button, nullptr);
    EXPECT_TRUE(button->text().contains(QLatin1Char('&'))) << "the key is still there";
    choose("en");
    EXPECT_TRUE(underlined());
}

TEST_F(LanguageTest, ALanguageThatDoesNotExistIsEnglish)
{
    EXPECT_EQ(Language::chosen(AppearanceSettings{.language = "tlh"}), QStringLiteral("en"));
}

} // namespace
} // namespace fireside::test
