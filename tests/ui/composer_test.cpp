#include "app/chat/text_attachment.h"
#include "tests/ui/private_home.h"
#include "ui/chat/attachment_list.h"
#include "ui/chat/composer.h"

#include <QClipboard>
#include <QFile>
#include <QGuiApplication>
#include <QKeyEvent>
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

TEST_F(ComposerTest, TheCursorStandsWhereOneBeginsToRead)
{
    composer.setLayoutDirection(Qt::RightToLeft);
    QCoreApplication::processEvents();
    const int middle = edit()->viewport()->width() / 2;
    EXPECT_GT(edit()->cursorRect().left(), middle);
    QTest::keyClicks(edit(), "left");
    EXPECT_GT(edit()->cursorRect().left(), middle);
    composer.setMessage(QStringLiteral("يمين"));
    EXPECT_GT(edit()->cursorRect().left(), middle);
    composer.setMessage({});
    EXPECT_GT(edit()->cursorRect().left(), middle);
    composer.setLayoutDirection(Qt::LeftToRight);
    EXPECT_LT(edit()->cursorRect().left(), middle);
    QTest::keyClicks(edit(), "left");
    EXPECT_LT(edit()->cursorRect().left(), middle);
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

TEST_F(ComposerTest, AMessageThatDoesNotFitIsNotSent)
{
    QSignalSpy sent(&composer, &Composer::sendRequested), refused(&composer, &Composer::tooLong);
    QSignalSpy asked(&composer, &Composer::countRequested);
    composer.setRoom(100);
    composer.setMessage(QStringLiteral("short"));
    composer.setMessage(QStringLiteral("word ").repeated(200));
    ASSERT_TRUE(QTest::qWaitFor([&] { return !asked.isEmpty(); }, 60000));
    ASSERT_EQ(asked.size(), 1) << "once, when the typing rests";
    const QString text = asked.first().first().toString();
    EXPECT_EQ(text, composer.message());
    composer.setTokens(text, 101);
    QTest::keyClick(edit(), Qt::Key_Return);
    EXPECT_TRUE(sent.isEmpty());
    ASSERT_EQ(refused.size(), 1);
    EXPECT_EQ(refused.first().first().toInt(), 101);
    EXPECT_EQ(composer.message(), text) << "nothing is lost";
    composer.setRoom(101); // another model or context: it is counted again
    ASSERT_TRUE(QTest::qWaitFor([&] { return asked.size() == 2; }, 60000));
    composer.setTokens(QStringLiteral("an older text"), 5000);
    composer.setTokens(text, 101);
    QTest::keyClick(edit(), Qt::Key_Return);
    EXPECT_EQ(sent.size(), 1);
}

TEST_F(ComposerTest, WhatWasJustPastedIsCountedBeforeItIsSent)
{
    QSignalSpy sent(&composer, &Composer::sendRequested), refused(&composer, &Composer::tooLong);
    QSignalSpy asked(&composer, &Composer::countRequested);
    composer.setRoom(100);
    const QString text = QStringLiteral("word ").repeated(200);
    const auto paste = [&] {
        composer.setMessage(text);
        QTest::keyClick(edit(), Qt::Key_Return);
    };
    paste();
    EXPECT_TRUE(sent.isEmpty());
    ASSERT_EQ(asked.size(), 1);
    EXPECT_EQ(asked.first().first().toString(), text);
    composer.setTokens(QStringLiteral("an older text"), 5);
    EXPECT_TRUE(sent.isEmpty());
    composer.setTokens(text, 101);
    EXPECT_TRUE(sent.isEmpty());
    EXPECT_EQ(refused.size(), 1);
    EXPECT_EQ(composer.message(), text) << "nothing is lost";

    composer.setRoom(300);
    paste();
    EXPECT_TRUE(sent.isEmpty());
    composer.setTokens(text, 201);
    EXPECT_EQ(sent.size(), 1);
    EXPECT_EQ(refused.size(), 1);
    EXPECT_TRUE(composer.message().isEmpty());

    composer.setRoom(301);
    paste();
    composer.setMessage(QStringLiteral("something else"));
    composer.setTokens(text, 201);
    EXPECT_EQ(sent.size(), 1) << "it is not what is written now";
    paste();
    composer.setTokens(text, -1);
    EXPECT_EQ(sent.size(), 2) << "where nobody can count, the reply says it";
    composer.setMessage(QStringLiteral("short"));
    QTest::keyClick(edit(), Qt::Key_Return);
    EXPECT_EQ(sent.size(), 3) << "so little fits in any case";
}

TEST_F(ComposerTest, EnterDuringAReplyQueuesTheMessage)
{
    QSignalSpy sent(&composer, &Composer::sendRequested);
    QSignalSpy queued(&composer, &Composer::queueRequested);
    composer.setReplying(true);
    composer.setSendable(false, QStringLiteral("A reply is being written"));
    QTest::keyClicks(edit(), "next");
    QTest::keyClick(edit(), Qt::Key_Return);
    EXPECT_TRUE(sent.isEmpty());
    ASSERT_EQ(queued.count(), 1);
    EXPECT_EQ(queued.first().first().toString(), QStringLiteral("next"));
    EXPECT_TRUE(composer.text().isEmpty());
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
    composer.setMessage(QStringLiteral("a\nb\nc"));
    const int three = edit()->height();
    composer.setMessage(QStringLiteral("a\n").repeated(7) + "a");
    const int eight = edit()->height();
    composer.setMessage(QStringLiteral("a\n").repeated(50));
    EXPECT_GT(three, one);
    EXPECT_GT(eight, three);
    EXPECT_EQ(edit()->height(), eight);
}

TEST_F(ComposerTest, ALongParagraphThatIsPastedIsShownInEightLines)
{
    composer.setMessage(QStringLiteral("a\n").repeated(7) + "a");
    const int eight = edit()->height();
    composer.setMessage({});
    QGuiApplication::clipboard()->setText(QStringLiteral("word and some text ").repeated(900));
    edit()->paste();
    EXPECT_EQ(edit()->height(), eight);
}

TEST_F(ComposerTest, KeysOfTheWindowAreLeftToIt)
{
    const auto taken = [this](int key) {
        QKeyEvent event(QEvent::ShortcutOverride, key, Qt::ControlModifier);
        event.ignore();
        QCoreApplication::sendEvent(edit(), &event);
        return event.isAccepted();
    };
    EXPECT_FALSE(taken(Qt::Key_K));
    EXPECT_FALSE(taken(Qt::Key_End)) << "nothing is written: the transcript's end";
    composer.setMessage(QStringLiteral("words"));
    EXPECT_TRUE(taken(Qt::Key_End)) << "the end of what is written";
}

TEST_F(ComposerTest, AttachedTextBecomesAFencedBlock)
{
    const test::PrivateHome home;
    const QString path = home.path("notes.py");
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("print('hi')\n```\n");
    file.close();
    composer.setMessage(QStringLiteral("Look"));
    QSignalSpy sent(&composer, &Composer::sendRequested), edited(&composer, &Composer::edited);
    composer.attachFiles({path});
    ASSERT_TRUE(
        QTest::qWaitFor([&] { return composer.attachments()->files().size() == 1; }, 60000));
    EXPECT_EQ(composer.text(), QStringLiteral("Look")) << "files stand beside the text, not in it";
    const QString whole = QStringLiteral("Look\n\nnotes.py:\n````py\nprint('hi')\n```\n````\n");
    EXPECT_EQ(composer.message(), whole);
    ASSERT_FALSE(edited.isEmpty());
    EXPECT_EQ(edited.last().first().toString(), whole) << "the draft holds them";
    QTest::keyClick(edit(), Qt::Key_Return);
    ASSERT_EQ(sent.count(), 1);
    EXPECT_EQ(sent.first().first().toString(), whole);
    EXPECT_TRUE(composer.message().isEmpty());
}

TEST_F(ComposerTest, AttachmentsComeBackWithTheDraftAndCanBeRemoved)
{
    const TextAttachment one{
        QStringLiteral("a b.txt:\n```txt\n1\n\n2\n```\n"), {}, QStringLiteral("a b.txt")};
    const TextAttachment two{
        QStringLiteral("c:\n````\nc:\n```\nx\n```\n````\n"), {}, QStringLiteral("c")};
    composer.setMessage(ComposedText{QStringLiteral("both"), {one, two}}.whole());
    EXPECT_EQ(composer.text(), QStringLiteral("both"));
    EXPECT_EQ(composer.attachments()->files(), (QList{one, two}));
    composer.attachments()->setTokens(one.text, 1234);
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    ASSERT_NE(button(QStringLiteral("Remove “a b.txt”")), nullptr);
    QTest::mouseClick(button(QStringLiteral("Remove “a b.txt”")), Qt::LeftButton);
    EXPECT_EQ(composer.attachments()->files(), QList{two});
    EXPECT_EQ(composer.message(), ComposedText({QStringLiteral("both"), {two}}).whole());
    // A file alone is a message, too.
    QSignalSpy sent(&composer, &Composer::sendRequested);
    composer.setMessage(two.text);
    EXPECT_TRUE(composer.text().isEmpty());
    EXPECT_TRUE(button("Send")->isEnabled());
    QTest::keyClick(edit(), Qt::Key_Return);
    ASSERT_EQ(sent.count(), 1);
    EXPECT_EQ(sent.first().first().toString(), two.text);
}

TEST(ComposedText, OnlyWhatAnAttachmentLooksLikeIsTakenApart)
{
    for (const char *text :
         {"", "\n", "```\n", "```\n```\n", "x\n```\n```\n", ":\n```\n```\n", "a: \n```\n```\n",
          "a:\n````\n```\n", "a:\n```\n```\nmore", "a:\n```\n``\n", "name:\n``\n``\n"}) {
        const ComposedText composed = ComposedText::of(QString::fromUtf8(text));
        EXPECT_TRUE(composed.files.isEmpty()) << text;
        EXPECT_EQ(composed.words, QString::fromUtf8(text));
    }
    const QString last = QStringLiteral("Say it:\n\na.txt:\n```txt\n1\n```\n");
    EXPECT_EQ(ComposedText::of(last).words, QStringLiteral("Say it:"));
    EXPECT_EQ(ComposedText::of(last).whole(), last);
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
    EXPECT_TRUE(composer.message().isEmpty());
}

} // namespace
} // namespace fireside
