#include "ui/chat/notice_bar.h"

#include <QCoreApplication>
#include <QPushButton>
#include <QTest>
#include <QToolButton>

#include <gtest/gtest.h>

namespace fireside {
namespace {

class NoticeBarTest : public testing::Test
{
protected:
    NoticeBarTest()
    {
        m_window.resize(600, 200);
        m_window.show();
    }
    /// What is in sight: rows come and go a moment later.
    template <typename Button>
    QList<Button *> visible() const
    {
        QCoreApplication::processEvents();
        QList<Button *> found;
        for (Button *button : bar->template findChildren<Button *>())
            if (button->isVisible())
                found.append(button);
        return found;
    }

private:
    QWidget m_window;

protected:
    NoticeBar *bar = new NoticeBar(&m_window);
};

TEST_F(NoticeBarTest, TheCrossDismissesItsNoticeOnly)
{
    bar->show(QStringLiteral("a"), NoticeBar::Kind::Error, QStringLiteral("one"));
    bar->show(QStringLiteral("b"), NoticeBar::Kind::Info, QStringLiteral("two"));
    ASSERT_EQ(visible<QToolButton>().size(), 2);
    QTest::mouseClick(visible<QToolButton>().first(), Qt::LeftButton);
    EXPECT_EQ(bar->textOf(QStringLiteral("a")), QString());
    EXPECT_EQ(bar->textOf(QStringLiteral("b")), QStringLiteral("two"));
    EXPECT_TRUE(bar->isVisible());
    ASSERT_EQ(visible<QToolButton>().size(), 1);
    QTest::keyClick(visible<QToolButton>().first(), Qt::Key_Space);
    EXPECT_EQ(bar->textOf(QStringLiteral("b")), QString());
    EXPECT_FALSE(bar->isVisible()) << "nothing is left to say";
}

TEST_F(NoticeBarTest, ANewNoticeReplacesTheOneOfItsTopic)
{
    bar->show(QStringLiteral("load"), NoticeBar::Kind::Error, QStringLiteral("one"));
    bar->show(QStringLiteral("load"), NoticeBar::Kind::Error, QStringLiteral("two"));
    EXPECT_EQ(bar->textOf(QStringLiteral("load")), QStringLiteral("two"));
    EXPECT_EQ(visible<QToolButton>().size(), 1);
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
    ASSERT_EQ(visible<QPushButton>().size(), 1);
    QTest::mouseClick(visible<QPushButton>().first(), Qt::LeftButton);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(bar->textOf(QStringLiteral("load")), QString());
    EXPECT_FALSE(bar->isVisible());
}

} // namespace
} // namespace fireside
