#include "ui/chat/notice_bar.h"

#include <QCoreApplication>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QTest>
#include <QToolButton>
#include <QVBoxLayout>

#include <gtest/gtest.h>

namespace fireside {
namespace {

class NoticeBarTest : public testing::Test
{
protected:
    NoticeBar *bar = new NoticeBar;

    NoticeBarTest()
    {
        auto *column = new QVBoxLayout(&m_window);
        column->addWidget(bar);
        column->addStretch(1);
        m_window.resize(600, 400);
        m_window.show();
    }
    QToolButton *button(const char *name) const
    {
        QCoreApplication::processEvents();
        for (auto *button : bar->findChildren<QToolButton *>()) {
            if (button->accessibleName() == QLatin1String(name))
                return button;
        }
        return nullptr;
    }

private:
    QWidget m_window;
};

TEST_F(NoticeBarTest, TheNewestIsInViewAndTheCrossBringsTheOneBefore)
{
    bar->show(QStringLiteral("a"), NoticeBar::Kind::Error, QStringLiteral("one"));
    bar->show(QStringLiteral("b"), NoticeBar::Kind::Info, QStringLiteral("two"));
    EXPECT_EQ(bar->shownTopic(), QStringLiteral("b"));
    QTest::mouseClick(button("Dismiss this notice"), Qt::LeftButton);
    EXPECT_EQ(bar->textOf(QStringLiteral("b")), QString());
    EXPECT_EQ(bar->shownTopic(), QStringLiteral("a"));
    EXPECT_TRUE(bar->isVisible());
    QTest::keyClick(button("Dismiss this notice"), Qt::Key_Space);
    EXPECT_EQ(bar->textOf(QStringLiteral("a")), QString());
    EXPECT_FALSE(bar->isVisible()) << "nothing is left to say";
}

TEST_F(NoticeBarTest, OlderNoticesAreReadByTheArrows)
{
    for (const char *topic : {"a", "b", "c"})
        bar->show(QLatin1String(topic), NoticeBar::Kind::Info, QLatin1String(topic));
    EXPECT_FALSE(button("Newer notice")->isEnabled());
    button("Older notice")->click();
    button("Older notice")->click();
    EXPECT_EQ(bar->shownTopic(), QStringLiteral("a"));
    EXPECT_FALSE(button("Older notice")->isEnabled());
    bar->dismiss(QStringLiteral("c"));
    EXPECT_EQ(bar->shownTopic(), QStringLiteral("a")) << "what is read stays in view";
    button("Newer notice")->click();
    EXPECT_EQ(bar->shownTopic(), QStringLiteral("b"));
    bar->dismiss(QStringLiteral("a"));
    EXPECT_EQ(bar->shownTopic(), QStringLiteral("b"));
    EXPECT_FALSE(button("Newer notice")->isVisible()) << "it is the only one";
}

TEST_F(NoticeBarTest, ManyLongNoticesTakeAFewLines)
{
    const QString text = QStringLiteral("words of a problem ").repeated(60);
    bar->show(QStringLiteral("one"), NoticeBar::Kind::Error, text, QStringLiteral("Do it"));
    QCoreApplication::processEvents();
    const int one = bar->sizeHint().height();
    const int buttons = bar->findChild<QPushButton *>()->height();
    EXPECT_LE(one, bar->fontMetrics().lineSpacing() * (NoticeBar::kMostLines + 1) + buttons + 30);
    for (int i = 0; i < 10; ++i)
        bar->show(QString::number(i), NoticeBar::Kind::Warning, text, QStringLiteral("Do it"));
    QCoreApplication::processEvents();
    EXPECT_LE(bar->sizeHint().height(), one + 4);
    EXPECT_TRUE(bar->findChild<QScrollArea *>()->verticalScrollBar()->isVisible())
        << "all of it can be read";
}

TEST_F(NoticeBarTest, ANewNoticeReplacesTheOneOfItsTopic)
{
    bar->show(QStringLiteral("load"), NoticeBar::Kind::Error, QStringLiteral("one"));
    bar->show(QStringLiteral("load"), NoticeBar::Kind::Error, QStringLiteral("two"));
    EXPECT_EQ(bar->textOf(QStringLiteral("load")), QStringLiteral("two"));
    EXPECT_FALSE(button("Older notice")->isVisible());
    bar->dismiss(QStringLiteral("other"));
    EXPECT_TRUE(bar->isVisible());
    bar->dismiss(QStringLiteral("load"));
    EXPECT_FALSE(bar->isVisible());
}

TEST_F(NoticeBarTest, TheButtonActsAndDismisses)
{
    int calls = 0;
    bar->show(QStringLiteral("load"), NoticeBar::Kind::Warning, QStringLiteral("text"),
              QStringLiteral("Do it"), [&] { ++calls; });
    QTest::mouseClick(bar->findChild<QPushButton *>(), Qt::LeftButton);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(bar->textOf(QStringLiteral("load")), QString());
    EXPECT_FALSE(bar->isVisible());
}

} // namespace
} // namespace fireside
