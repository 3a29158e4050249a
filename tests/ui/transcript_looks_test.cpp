#include "ui/backend/meter_bar.h"
#include "ui/style/theme.h"
#include "ui/transcript/transcript_view.h"

#include <QApplication>
#include <QTest>

#include <gtest/gtest.h>

// What the transcript and the meters look like while things change below the pointer.
namespace fireside {
namespace {

class TranscriptLooksTest : public testing::Test
{
protected:
    TranscriptLooksTest()
    {
        view.resize(700, 500);
        view.show();
        QApplication::processEvents();
    }

    void setReply(const QString &text, Message::State state = Message::State::Complete)
    {
        reply.id = 1;
        reply.role = QStringLiteral("assistant");
        reply.text = text;
        reply.state = state;
        view.setMessages({reply});
        QApplication::processEvents();
    }
    QImage shown() { return view.viewport()->grab().toImage(); }
    void moveTo(QPoint point)
    {
        QMouseEvent move(QEvent::MouseMove, point, view.viewport()->mapToGlobal(point),
                         Qt::NoButton, Qt::NoButton, Qt::NoModifier);
        QApplication::sendEvent(view.viewport(), &move);
    }
    /// Over the copy button of the first code block; null: there is none.
    QPoint copyButton()
    {
        for (int y = 0; y < view.viewport()->height(); y += 4) {
            const QPoint point(view.messageRect(0).right() - 60, y);
            moveTo(point);
            if (view.viewport()->cursor().shape() == Qt::PointingHandCursor)
                return point;
        }
        return {};
    }

    TranscriptView view;
    Message reply;
};

TEST_F(TranscriptLooksTest, AHighlightGoesWithThePointer)
{
    setReply(QStringLiteral("Words\n\n```c\nint a;\n```"));
    const QImage plain = shown();
    const QPoint button = copyButton();
    ASSERT_FALSE(button.isNull());
    EXPECT_NE(shown(), plain);
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(view.viewport(), &leave);
    EXPECT_EQ(shown(), plain) << "also where a button covers the pointer";
}

TEST_F(TranscriptLooksTest, AHighlightDoesNotMoveWithTheText)
{
    setReply(QStringLiteral("Words\n\n```c\nint a;\n```"), Message::State::Streaming);
    const QPoint button = copyButton();
    ASSERT_FALSE(button.isNull());
    Message grown = reply;
    grown.text = QStringLiteral("Words\n\nMore\n\nand more\n\n```c\nint a;\n```");
    grown.state = Message::State::Complete;
    view.updateMessage(0, grown);
    QApplication::processEvents();
    EXPECT_NE(view.viewport()->cursor().shape(), Qt::PointingHandCursor)
        << "other text is below the pointer now";
}

TEST_F(TranscriptLooksTest, AnAddressThatComesLaterIsALinkEverywhere)
{
    const QString all = QStringLiteral("See [the page][p].\n\nMore.\n\n[p]: https://example.org/");
    setReply(all.left(20), Message::State::Streaming);
    for (qsizetype length = 21; length <= all.size(); ++length) {
        Message grown = reply;
        grown.text = all.left(length);
        grown.state = length == all.size() ? Message::State::Complete : Message::State::Streaming;
        view.updateMessage(0, grown);
    }
    const QImage streamed = shown();
    setReply(all);
    EXPECT_EQ(streamed, shown()) << "as if it had come at once";
}

/// How much of an empty bar's height is as dark as what fills it.
TEST(MeterBarLooks, AnEmptyBarLooksEmpty)
{
    for (const char *contrast : {"normal", "high"}) {
        for (const char *theme : {"light", "dark"}) {
            AppearanceSettings looks;
            looks.theme = theme;
            looks.contrast = contrast;
            Theme::apply(looks);
            MeterBar bar(QStringLiteral("Context"));
            bar.resize(200, bar.sizeHint().height());
            bar.setAmounts(0, 100);
            const auto middle = [&bar] {
                const QImage image = bar.grab().toImage();
                return image.pixelColor(image.width() / 2, image.height() - 4);
            };
            const QColor empty = middle();
            bar.setAmounts(100, 100);
            const QColor full = middle();
            const int apart = std::abs(empty.lightness() - full.lightness());
            EXPECT_GT(apart, 30) << theme << ' ' << contrast;
            EXPECT_NE(empty, Theme::current().highContrast ? Theme::current().border : QColor())
                << theme << ' ' << contrast;
        }
    }
    Theme::apply(AppearanceSettings{.theme = "light"});
}

} // namespace
} // namespace fireside
