#include "app/chat/text_attachment.h"
#include "tests/ui/private_home.h"
#include "ui/chat/composer.h"

#include <QFile>
#include <QMimeData>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QUrl>

#include <gtest/gtest.h>

namespace fireside {
namespace {

class ComposerTest : public testing::Test
{
protected:
    ComposerTest()
    {
        composer.resize(600, 100);
        composer.show();
        composer.setSendable(true, {});
    }
    ComposerEdit *edit() { return composer.findChild<ComposerEdit *>(); }
    QToolButton *button(const QString &name)
    {
        for (QToolButton *found : composer.findChildren<QToolButton *>()) {
            if (found->accessibleName() == name)
                return found;
        }
        return nullptr;
    }

    Composer composer;
};

TEST_F(ComposerTest, EnterSendsAndShiftEnterBreaksTheLine)
{
    QSignalSpy sent(&composer, &Composer::sendRequested);
    QTest::keyClicks(edit(), "one");
    QTest::keyClick(edit(), Qt::Key_Return, Qt::ShiftModifier);
    QTest::keyClicks(edit(), "two");
    EXPECT_EQ(sent.count(), 0);
    QTest::keyClick(edit(), Qt::Key_Return);
    ASSERT_EQ(sent.count(), 1);
    EXPECT_EQ(sent.first().first().toString(), QStringLiteral("one\ntwo"));
    EXPECT_TRUE(composer.text().isEmpty());
    QTest::keyClicks(edit(), "   ");
    QTest::keyClick(edit(), Qt::Key_Enter);
    EXPECT_EQ(sent.count(), 1) << "blank messages are not sent";
}

TEST_F(ComposerTest, NothingIsSentOrLostWhenNoModelIsReady)
{
    QSignalSpy sent(&composer, &Composer::sendRequested);
    composer.setSendable(false, QStringLiteral("Loading x… 40 %"));
    QTest::keyClicks(edit(), "draft");
    QTest::keyClick(edit(), Qt::Key_Return);
    EXPECT_EQ(sent.count(), 0);
    EXPECT_EQ(composer.text(), QStringLiteral("draft"));
    ASSERT_NE(button("Send"), nullptr);
    EXPECT_FALSE(button("Send")->isEnabled());
    EXPECT_EQ(button("Send")->accessibleDescription(), QStringLiteral("Loading x… 40 %"));
    composer.setSendable(true, {});
    EXPECT_TRUE(button("Send")->isEnabled());
}

TEST_F(ComposerTest, TheButtonStopsWhileReplying)
{
    QSignalSpy stopped(&composer, &Composer::stopRequested);
    composer.setReplying(true);
    ASSERT_NE(button("Stop the reply"), nullptr);
    QTest::mouseClick(button("Stop the reply"), Qt::LeftButton);
    EXPECT_EQ(stopped.count(), 1);
}

TEST_F(ComposerTest, UpInAnEmptyFieldEditsTheLastMessage)
{
    QSignalSpy asked(&composer, &Composer::editLastRequested);
    QTest::keyClick(edit(), Qt::Key_Up);
    EXPECT_EQ(asked.count(), 1);
    QTest::keyClicks(edit(), "x");
    QTest::keyClick(edit(), Qt::Key_Up);
    EXPECT_EQ(asked.count(), 1);
}

TEST_F(ComposerTest, GrowsToEightLines)
{
    const int one = edit()->height();
    composer.setText(QStringLiteral("a\nb\nc"));
    const int three = edit()->height();
    composer.setText(QStringLiteral("a\n").repeated(7) + "a");
    const int eight = edit()->height();
    composer.setText(QStringLiteral("a\n").repeated(50));
    EXPECT_GT(three, one);
    EXPECT_GT(eight, three);
    EXPECT_EQ(edit()->height(), eight);
}

TEST_F(ComposerTest, AttachedTextBecomesAFencedBlock)
{
    const test::PrivateHome home;
    const QString path = home.path("notes.py");
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("print('hi')\n```\n");
    file.close();
    composer.setText(QStringLiteral("Look"));
    composer.attachFiles({path});
    EXPECT_TRUE(QTest::qWaitFor(
        [&] {
            return composer.text() ==
                   QStringLiteral("Look\nnotes.py:\n````py\nprint('hi')\n```\n````\n");
        },
        60000));
}

TEST_F(ComposerTest, WhatIsNoTextIsRefusedWithAReason)
{
    const test::PrivateHome home;
    QFile binary(home.path("a.bin")), large(home.path("b.txt"));
    ASSERT_TRUE(binary.open(QIODevice::WriteOnly) && large.open(QIODevice::WriteOnly));
    binary.write(QByteArray("\x00\xff\xfe", 3));
    large.write(QByteArray(kMaxAttachmentBytes + 1, 'x'));
    binary.close();
    large.close();
    for (const QString &path : {binary.fileName(), large.fileName(), QStringLiteral("/dev/zero"),
                                home.path("none"), home.path("")}) {
        const TextAttachment result = readTextAttachment(path);
        EXPECT_TRUE(result.text.isEmpty());
        EXPECT_FALSE(result.problem.isEmpty()) << path.toStdString();
    }
    QSignalSpy failed(&composer, &Composer::attachmentFailed);
    composer.attachFiles({binary.fileName()});
    EXPECT_TRUE(QTest::qWaitFor([&] { return failed.count() == 1; }, 60000));
    EXPECT_TRUE(composer.text().isEmpty());
}

} // namespace
} // namespace fireside
