#include "tests/ui/keys.h"
#include "tests/ui/situations.h"

#include <QLineEdit>
#include <QListView>
#include <QPlainTextEdit>
#include <QTest>

// Every key in everything that takes the keyboard, in every situation: nothing crashes, no written
// word is lost and no message changes unless the key is for that.
namespace fireside::test {
namespace {

class FieldsTest : public SituationTest
{
protected:
    /// Presses every key with the focus where `focus` puts it, except those that are for more than
    /// looking and writing there.
    void sweep(const QByteArray &where, const std::function<QWidget *()> &focus,
               const QStringList &except = {})
    {
        for (const char *keys : kKeys) {
            if (except.contains(QLatin1String(keys)))
                continue;
            SCOPED_TRACE((where + ": " + keys).toStdString());
            composer()->setMessage(draft());
            QWidget *target = focus();
            if (!target)
                return; // it went with what the last key has ended
            // Letters typed beside the composer are meant for it.
            const bool own = target == field();
            const bool beside = !own && window().chatPanel()->isAncestorOf(target);
            target->setFocus();
            const QList<Message> path = chat().messages();
            const bool replying = chat().replying();
            press(keys); // may end the control
            QCoreApplication::processEvents();
            expectNothingLost(path);
            if (beside) {
                EXPECT_TRUE(composer()->text().startsWith(draft()));
            } else if (!own) {
                EXPECT_EQ(composer()->text(), draft());
            }
            closeAll();
            if (replying && !chat().replying()) {
                ASSERT_NO_FATAL_FAILURE(enter()); // Esc has stopped it
            }
            ASSERT_FALSE(HasFailure());
        }
    }

    void expectNothingLost(const QList<Message> &path)
    {
        ASSERT_TRUE(window().isVisible());
        ASSERT_EQ(chat().messages().size(), path.size());
        for (qsizetype i = 0; i < path.size(); ++i)
            EXPECT_TRUE(chat().messages()[i].text.startsWith(path[i].text));
        EXPECT_EQ(chat().draft(), composer()->text());
    }
};

TEST_P(FieldsTest, EveryKeyEverywhere)
{
    QByteArrayList names;
    for (const QWidget *control : fieldsIn(window()))
        names += nameOf(*control);
    for (const QByteArray &name : names) {
        // A key may end the program, which then is started again: looked for by name each time.
        const auto find = [&]() -> QWidget * {
            for (QWidget *control : fieldsIn(window())) {
                if (nameOf(*control) == name)
                    return control;
            }
            return nullptr;
        };
        // Tested elsewhere: a press of the button, and the deletion of a conversation.
        QStringList except;
        if (qobject_cast<QAbstractButton *>(find()))
            except = {QStringLiteral("Space"), QStringLiteral("Ctrl+Space")};
        else if (find() == list())
            except = {QStringLiteral("Del"), QStringLiteral("Shift+Del")};
        sweep(name, find, except);
        ASSERT_FALSE(HasFailure());
    }
    EXPECT_TRUE(names.contains("fireside::ComposerEdit Message"));
    EXPECT_TRUE(names.contains("fireside::LineField Search all conversations"));
    EXPECT_EQ(names.contains("fireside::TranscriptView Conversation"), GetParam().chats);
    EXPECT_EQ(names.contains("QListView Conversations"), GetParam().chats);
}

// What is pasted, cut and undone in the composer; the words come back by undoing.
TEST_P(FieldsTest, ComposerKeepsWhatItHas)
{
    const QString pasted =
        GetParam().clipboard == Situation::Text ? QStringLiteral("copied") : QString();
    for (const char *keys : {"Ctrl+V", "Shift+Ins"}) {
        composer()->setMessage(draft());
        field()->setFocus();
        press(keys);
        EXPECT_EQ(composer()->text(), draft() + pasted) << keys;
        press("Ctrl+A");
        press(keys);
        EXPECT_EQ(composer()->text(), pasted.isEmpty() ? draft() + pasted : pasted) << keys;
    }
    composer()->setMessage(draft());
    press("Ctrl+A");
    press("Ctrl+X");
    EXPECT_TRUE(composer()->text().isEmpty());
    EXPECT_EQ(clipboardText(), draft());
    press("Ctrl+Z");
    EXPECT_EQ(composer()->text(), draft());
    press("Ctrl+A");
    press("Ctrl+C");
    press("End");
    press("Ctrl+V");
    EXPECT_EQ(composer()->text(), draft() + draft());
}

TEST_P(FieldsTest, EnterSendsOnlyWhatCanBeAnswered)
{
    const Situation &now = GetParam();
    const qsizetype before = chat().messages().size();
    field()->setFocus();
    for (const char *keys : {"Return", "Enter", "Ctrl+Return"}) {
        composer()->setMessage(draft());
        press(keys);
        if (now.replying) {
            EXPECT_TRUE(composer()->text().isEmpty()) << keys;
            EXPECT_EQ(chat().takeQueued(), draft()) << keys << ": it waits for the reply's end";
            EXPECT_EQ(chat().messages().size(), before) << keys;
            continue;
        }
        if (!now.model) {
            EXPECT_EQ(composer()->text(), draft()) << keys;
            EXPECT_EQ(chat().messages().size(), before) << keys;
            continue;
        }
        EXPECT_TRUE(composer()->text().isEmpty()) << keys;
        ASSERT_TRUE(replied());
        EXPECT_EQ(chat().messages()[chat().messages().size() - 2].text, draft()) << keys;
    }
    if (now.model && !now.replying) {
        EXPECT_EQ(chat().messages().size(), before + 6);
    }
}

// The editor of a message has the same keys; what is written in it is its own.
TEST_P(FieldsTest, MessageEditor)
{
    if (!GetParam().chats || GetParam().replying)
        return;
    const QString question = chat().messages().first().text;
    for (const char *keys : kKeys) {
        SCOPED_TRACE(keys);
        clickMenu(QStringLiteral("Edit the last message"));
        ASSERT_TRUE(transcript()->editing());
        press(keys);
        QCoreApplication::processEvents();
        EXPECT_EQ(chat().messages().first().text, question);
        EXPECT_EQ(composer()->text(), draft());
        EXPECT_EQ(transcript()->editing(), qstrcmp(keys, "Esc") != 0);
        closeAll();
        if (transcript()->editing()) {
            transcript()->findChild<QPlainTextEdit *>()->setFocus();
            press("Esc");
        }
        EXPECT_FALSE(transcript()->editing());
        ASSERT_FALSE(HasFailure());
    }
}

INSTANTIATE_TEST_SUITE_P(In, FieldsTest, testing::ValuesIn(kSituations),
                         [](const auto &tested) { return std::string(tested.param.name); });

} // namespace
} // namespace fireside::test
