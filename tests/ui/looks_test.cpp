#include "tests/ui/program.h"
#include "ui/chat/conversation_delegate.h"
#include "ui/chat/notice_bar.h"
#include "ui/chat/welcome.h"
#include "ui/settings/appearance_page.h"
#include "ui/settings/settings_dialog.h"
#include "ui/style/theme.h"

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QRadioButton>
#include <QSpinBox>
#include <QTest>

#include <algorithm>
#include <cmath>

// What the window looks like where there is little room, and when its looks change.
namespace fireside::test {
namespace {

class LooksTest : public ProgramTest
{
protected:
    void begin()
    {
        const qint64 newest = storeChats();
        start();
        chat().openConversation(newest);
        window().resize(800, 500);
        activate();
        QTest::qWait(0);
    }

    static void setLooks(AppSettings &settings, const char *theme, int fontSize)
    {
        AppearanceSettings looks = settings.appearance();
        looks.theme = theme;
        looks.fontSize = fontSize;
        settings.setAppearance(looks);
        QCoreApplication::processEvents();
    }
};

TEST_F(LooksTest, TheExamplesOfASmallWindowAreWhole)
{
    begin();
    loadStarter();
    chat().newConversation();
    Welcome *welcome = window().chatPanel()->welcome();
    ASSERT_TRUE(waitFor([&] { return welcome->isVisible(); }));
    QCoreApplication::processEvents();
    int whole = 0;
    for (QPushButton *button : welcome->findChildren<QPushButton *>()) {
        if (!button->isVisible())
            continue;
        const QRect place(button->mapTo(welcome->viewport(), QPoint(0, 0)), button->size());
        EXPECT_TRUE(welcome->viewport()->rect().contains(place)) << button->text().toStdString();
        ++whole;
    }
    EXPECT_EQ(whole, 4);
    window().resize(1180, 780);
    QCoreApplication::processEvents();
    EXPECT_EQ(welcome->widget()->height(), welcome->viewport()->height()) << "nothing to scroll";
}

TEST_F(LooksTest, NoticesLeaveRoomForTheMessages)
{
    begin();
    const QString text =
        QStringLiteral("A problem that takes many words to describe. ").repeated(9);
    for (int i = 0; i < 6; ++i)
        window().chatPanel()->notices()->show(QString::number(i), NoticeBar::Kind::Warning, text,
                                              QStringLiteral("Do something"));
    QCoreApplication::processEvents();
    EXPECT_TRUE(composer()->isVisible());
    const int bottom = composer()->mapTo(&window(), QPoint(0, composer()->height())).y();
    EXPECT_LT(bottom, window().height());
    EXPECT_GE(transcript()->viewport()->height(), 100);
}

TEST_F(LooksTest, SmallTextStaysSmallWhenTheLooksChange)
{
    begin();
    QLabel *stats = nullptr;
    for (QLabel *label : transcript()->findChildren<QLabel *>()) {
        if (label->property("role") == QLatin1String("small") && !label->text().isEmpty() &&
            label->isVisible())
            stats = label;
    }
    ASSERT_NE(stats, nullptr);
    const AppearanceSettings before = settings().appearance();
    for (const int size : {0, 14, 0}) {
        for (const char *theme : {"dark", "light", "system", "dark"}) {
            setLooks(settings(), theme, size);
            const double whole = QApplication::font().pointSizeF();
            EXPECT_NEAR(QFontInfo(stats->font()).pointSizeF(), whole * 0.85, 0.6)
                << theme << ' ' << size;
        }
    }
    settings().setAppearance(before);
}

TEST_F(LooksTest, ChosenAndHoveredChatsDifferInEveryTheme)
{
    begin();
    for (const char *theme : {"dark", "light"}) {
        setLooks(settings(), theme, 0);
        const Theme &look = Theme::current();
        const auto distance = [](const QColor &a, const QColor &b) {
            return std::abs(a.lightness() - b.lightness());
        };
        EXPECT_GE(distance(look.selected, look.sunken), 12) << theme;
        EXPECT_GE(distance(look.hover, look.sunken), 6) << theme;
        EXPECT_GE(distance(look.selected, look.hover), 5) << theme;
    }
    setLooks(settings(), "system", 0);
}

TEST_F(LooksTest, ButtonsOfDialogsHaveNoForeignIcons)
{
    begin();
    window().showSettings();
    auto *dialog = window().findChild<SettingsDialog *>();
    ASSERT_NE(dialog, nullptr);
    for (QAbstractButton *button : dialog->findChild<QDialogButtonBox *>()->buttons())
        EXPECT_TRUE(button->icon().isNull()) << button->text().toStdString();
    closeAll();
}

TEST_F(LooksTest, TheDotsOfARowOpenItsMenuAndNotTheChat)
{
    begin();
    const qint64 open = chat().currentConversation();
    const QRect row = list()->visualRect(list()->model()->index(1, 0));
    ASSERT_NE(list()->model()->index(1, 0).data(Qt::UserRole).toLongLong(), open);
    const QPoint dots = ConversationDelegate::menuRect(row, list()->layoutDirection()).center();
    QTest::mouseClick(list()->viewport(), Qt::LeftButton, {}, dots);
    auto *menu = qobject_cast<QMenu *>(QApplication::activePopupWidget());
    ASSERT_NE(menu, nullptr);
    EXPECT_EQ(chat().currentConversation(), open);
    clickIn(menu, menu->actions().last());
    EXPECT_EQ(chat().conversations().size(), 1);
    EXPECT_EQ(chat().currentConversation(), open) << "another one was deleted";
}

// The outline of an empty box against the window behind it, as contrast is counted (WCAG).
TEST_F(LooksTest, AnEmptyBoxIsSeenInEveryTheme)
{
    begin();
    const auto luminance = [](const QColor &colour) {
        const auto linear = [](double part) {
            return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
        };
        return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) +
               0.0722 * linear(colour.blueF());
    };
    for (const char *theme : {"light", "dark"}) {
        setLooks(settings(), theme, 0);
        QCheckBox box;
        QRadioButton ring;
        for (QAbstractButton *button :
             {static_cast<QAbstractButton *>(&box), static_cast<QAbstractButton *>(&ring)}) {
            button->resize(40, 40);
            const QImage drawn = button->grab().toImage();
            const double behind = luminance(Theme::current().window);
            double most = 1;
            for (int x = 0; x < drawn.width(); ++x) {
                const double here = luminance(drawn.pixelColor(x, drawn.height() / 2));
                most = std::max(most,
                                (std::max(here, behind) + 0.05) / (std::min(here, behind) + 0.05));
            }
            EXPECT_GE(most, 3.0) << theme << ' ' << button->metaObject()->className();
        }
    }
}

// A disabled button's text is fainter than an enabled one's, and can still be read.
TEST_F(LooksTest, DisabledButtonsDifferInEveryTheme)
{
    begin();
    const AppearanceSettings before = settings().appearance();
    for (const char *contrast : {"system", "high"}) {
        for (const char *theme : {"light", "dark"}) {
            AppearanceSettings looks;
            looks.theme = theme;
            looks.contrast = contrast;
            settings().setAppearance(looks);
            const int paper = Theme::current().surface.lightness();
            const auto inkOf = [paper](QPushButton &button) {
                button.resize(120, 32);
                const QImage drawn = button.grab(button.rect().adjusted(8, 8, -8, -8)).toImage();
                int most = 0;
                for (int y = 0; y < drawn.height(); ++y)
                    for (int x = 0; x < drawn.width(); ++x)
                        most = std::max(most, std::abs(drawn.pixelColor(x, y).lightness() - paper));
                return most;
            };
            QPushButton button(QStringLiteral("HHHH"));
            const int enabled = inkOf(button);
            button.setEnabled(false);
            EXPECT_LT(inkOf(button), enabled - 30) << theme << ' ' << contrast;
            EXPECT_GT(inkOf(button), 60) << theme << ' ' << contrast;
        }
    }
    settings().setAppearance(before);
}

// A list that opens and a field of numbers look like a field of text: in each the line above the
// middle has the theme's border.
TEST_F(LooksTest, FieldsOfAllKindsHaveTheSameFrame)
{
    begin();
    for (const char *theme : {"light", "dark"}) {
        setLooks(settings(), theme, 0);
        QLineEdit text;
        QComboBox list;
        QSpinBox number;
        for (QWidget *field : {static_cast<QWidget *>(&text), static_cast<QWidget *>(&list),
                               static_cast<QWidget *>(&number)}) {
            field->resize(120, 30);
            const QImage drawn = field->grab().toImage();
            const char *kind = field->metaObject()->className();
            EXPECT_EQ(drawn.pixelColor(drawn.width() / 2, 0), Theme::current().border)
                << theme << ' ' << kind;
            EXPECT_EQ(drawn.pixelColor(drawn.width() / 2, 2), Theme::current().surface)
                << theme << ' ' << kind;
        }
    }
}

TEST_F(LooksTest, TheStatusOfALowWindowLeavesRoomForTheChat)
{
    begin();
    loadStarter();
    auto *panel = window().findChild<QWidget *>(QStringLiteral("statusPanel"));
    ASSERT_NE(panel, nullptr);
    EXPECT_TRUE(waitFor([&] { return panel->height() <= window().height() / 5; }))
        << panel->height() << " of " << window().height();
}

TEST_F(LooksTest, FieldsOfNumbersShowTheirWholeText)
{
    begin();
    window().showSettings();
    auto *dialog = window().findChild<SettingsDialog *>();
    ASSERT_NE(dialog, nullptr);
    auto *page = dialog->findChild<AppearancePage *>();
    auto *pages = dialog->findChild<QListWidget *>();
    for (int row = 0; row < pages->count() && !page->isVisible(); ++row)
        pages->setCurrentRow(row);
    ASSERT_TRUE(page->isVisible());
    const auto boxes = page->findChildren<QSpinBox *>();
    ASSERT_FALSE(boxes.isEmpty());
    for (QSpinBox *box : boxes) {
        const QLineEdit *line = box->findChild<QLineEdit *>();
        const int besideLine = box->width() - line->contentsRect().width();
        EXPECT_GE(box->sizeHint().width() - besideLine,
                  line->fontMetrics().horizontalAdvance(line->text()) + 4) // room beside letters
            << line->text().toStdString();
    }
    closeAll();
}

} // namespace
} // namespace fireside::test
