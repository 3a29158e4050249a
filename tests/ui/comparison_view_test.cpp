#include "app/chat/comparison.h"
#include "tests/ui/program.h"
#include "ui/compare/column_header.h"
#include "ui/compare/comparison_view.h"
#include "ui/transcript/transcript_view.h"

#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegion>
#include <QTest>
#include <QToolButton>

// Two chats side by side, by keys and clicks.
namespace fireside::test {
namespace {

class ComparisonViewTest : public ProgramTest
{
protected:
    void begin()
    {
        start(8);
        loadStarter();
        press("Ctrl+Shift+M");
        ASSERT_NE(comparison(), nullptr);
        LoadSettings settings;
        settings.backend = "cpu";
        comparison()->load(ModelLibrary::starterModelPath(), settings);
        ASSERT_TRUE(waitFor([&] { return comparison()->secondEngine().hasModel(); }));
    }
    void ask(const char *question)
    {
        composer()->field()->setFocus(); // the second column has one that is hidden
        type(QLatin1String(question));
        press("Return");
        ASSERT_TRUE(waitFor([&] { return comparison()->busy() || chat().replying(); }));
        ASSERT_TRUE(waitFor([&] { return !comparison()->busy() && !chat().replying(); }));
    }
    /// The buttons of both headers lie within them, beside each other, and no text is cut.
    void expectInPlace()
    {
        for (ColumnHeader *header : window().findChildren<ColumnHeader *>()) {
            QRegion taken;
            for (QAbstractButton *each : header->findChildren<QAbstractButton *>()) {
                if (!each->isVisible())
                    continue;
                const std::string name = each->accessibleName().toStdString();
                const QRect place = each->rect().translated(each->mapTo(header, QPoint(0, 0)));
                EXPECT_GE(each->width(), each->fontMetrics().horizontalAdvance(each->text()))
                    << name;
                EXPECT_TRUE(!each->text().isEmpty() || !each->icon().isNull()) << name;
                EXPECT_TRUE(header->rect().contains(place)) << name;
                EXPECT_FALSE(taken.intersects(place)) << name;
                taken += place;
            }
        }
    }
    Comparison *comparison() { return window().comparison(); }
    ChatPanel *second() { return window().comparisonView()->secondPanel(); }
    ColumnHeader *header(const char *name)
    {
        for (ColumnHeader *each : window().findChildren<ColumnHeader *>())
            if (each->accessibleName() == QLatin1String(name))
                return each;
        return nullptr;
    }
};

TEST_F(ComparisonViewTest, OneComposerAsksBothAndStaysOne)
{
    begin();
    EXPECT_FALSE(second()->composer()->isVisible());
    EXPECT_TRUE(composer()->isVisible());
    EXPECT_TRUE(composer()->field()->hasFocus());
    ask("Who are you?");
    ASSERT_EQ(transcript()->count(), 2);
    EXPECT_EQ(second()->transcript()->count(), 2);
    auto *rate = header("Second model")->findChild<QLabel *>(QStringLiteral("comparedRate"));
    EXPECT_FALSE(rate->text().isEmpty());
    press("Ctrl+Shift+M");
    EXPECT_EQ(comparison(), nullptr);
    EXPECT_EQ(second(), nullptr);
    EXPECT_TRUE(composer()->isVisible());
    EXPECT_TRUE(window().chatPanel()->isAncestorOf(composer()));
    EXPECT_EQ(chat().messages().last().siblingCount, 2) << "both answers stay";
}

TEST_F(ComparisonViewTest, TheSecondAnswerIsKeptByItsButton)
{
    begin();
    ask("Who are you?");
    const qint64 kept = comparison()->second().messages().last().id;
    QPushButton *keep =
        header("Second model")->findChild<QPushButton *>(QStringLiteral("comparedKeep"));
    ASSERT_TRUE(keep->isEnabled());
    QTest::mouseClick(keep, Qt::LeftButton);
    ASSERT_TRUE(waitFor([&] { return comparison() == nullptr; }));
    EXPECT_EQ(chat().messages().last().id, kept);
    EXPECT_EQ(chat().messages().last().siblingCount, 2);
}

TEST_F(ComparisonViewTest, ItIsAsWideAsASmallScreenThatIsMagnified)
{
    begin();
    ModelStatus model = engine().model();
    model.name = QStringLiteral("A model whose name is so long that it fits on no button at all");
    model.plannedBytes = 123'400'000'000;
    emit engine().moved(model);
    ask("Who are you?");
    const QSize small(560, 320); // 1120 × 640 at 200 %, and a status that takes three lines
    for (const QSize &size : {QSize(1000, 700), QSize(620, 400), small}) {
        window().resize(size);
        for (int i = 0; i < 3; ++i)
            QTest::qWait(0); // what no longer fits may make it larger
        EXPECT_LE(window().width(), size.width());
        EXPECT_LE(window().height(), size.height());
        expectInPlace();
        EXPECT_EQ(header("Second model")
                      ->findChild<QToolButton *>(QStringLiteral("comparedClose"))
                      ->isVisible(),
                  size.height() < 700);
    }
    for (ChatPanel *panel : {window().chatPanel(), second()})
        EXPECT_GE(panel->transcript()->height(), 2 * panel->fontMetrics().lineSpacing());
    QTest::mouseClick(
        header("Second model")->findChild<QToolButton *>(QStringLiteral("comparedClose")),
        Qt::LeftButton);
    EXPECT_TRUE(waitFor([&] { return comparison() == nullptr; }));
}

TEST_F(ComparisonViewTest, EveryControlHasAName)
{
    begin();
    for (ColumnHeader *header : window().findChildren<ColumnHeader *>()) {
        EXPECT_FALSE(header->accessibleName().isEmpty());
        for (QPushButton *each : header->findChildren<QPushButton *>())
            EXPECT_FALSE(each->accessibleName().isEmpty()) << each->text().toStdString();
    }
}

} // namespace
} // namespace fireside::test
