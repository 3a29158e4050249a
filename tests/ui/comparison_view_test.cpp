#include "app/chat/comparison.h"
#include "tests/ui/program.h"
#include "ui/compare/column_header.h"
#include "ui/compare/comparison_view.h"

#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTest>

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
    window().resize(620, 400);
    QCoreApplication::processEvents();
    EXPECT_LE(window().width(), 620) << "1280 at 200 %, within its frame";
    for (ColumnHeader *header : window().findChildren<ColumnHeader *>()) {
        for (QPushButton *each : header->findChildren<QPushButton *>()) {
            const int text = each->fontMetrics().horizontalAdvance(each->text());
            EXPECT_GE(each->width(), text) << each->text().toStdString();
            EXPECT_TRUE(
                header->rect().contains(each->rect().translated(each->mapTo(header, QPoint(0, 0)))))
                << each->text().toStdString();
        }
    }
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
