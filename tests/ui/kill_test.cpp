#include "tests/support/endless_model.h"
#include "tests/ui/program.h"

#include <QApplication>
#include <QListView>
#include <QProcess>
#include <QTest>

// kill -9 on the whole program in the middle of a reply.
namespace fireside::test {
namespace {

static_assert(ChatController::kStoreEveryMs <= 1000, "at most the last second is lost");

class KillTest : public ProgramTest
{
protected:
    /// Runs the program until it said `ticks` times that something must be stored, and kills it.
    void talk(int ticks)
    {
        const QString model = home.path(QStringLiteral("endless.gguf"));
        writeEndlessModel(model.toStdString());
        QProcess program;
        program.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        program.start(QApplication::applicationFilePath(), {QStringLiteral("--talk"), model});
        m_shown.clear();
        m_stored = 0;
        while (ticks > 0 && program.waitForReadyRead(kPatience)) {
            while (program.canReadLine())
                ticks -= take(program.readLine());
        }
        ASSERT_EQ(program.state(), QProcess::Running);
        program.kill();
        ASSERT_TRUE(program.waitForFinished(kPatience));
        while (program.canReadLine())
            take(program.readLine());
    }

    QString m_shown;        // the reply's text
    qsizetype m_stored = 0; // so much of it must be on the disk

private:
    int take(const QByteArray &line)
    {
        const QByteArray value = line.trimmed().mid(line.indexOf(' ') + 1);
        if (line.startsWith("shown "))
            m_shown += QString::fromUtf8(QByteArray::fromBase64(value));
        if (!line.startsWith("stored "))
            return 0;
        m_stored = value.toLongLong();
        return m_stored > 0 ? 1 : 0;
    }
};

TEST_F(KillTest, LosesAtMostWhatWasShownSinceItWasLastStored)
{
    for (const int ticks : {1, 2}) {
        const PrivateHome another;
        ASSERT_NO_FATAL_FAILURE(talk(ticks));
        ASSERT_GT(m_stored, 0);

        start();
        EXPECT_TRUE(store().notice().isEmpty()) << qPrintable(store().notice());
        EXPECT_FALSE(store().inMemory());
        ASSERT_EQ(list()->model()->rowCount(), 1);
        QTest::mouseClick(list()->viewport(), Qt::LeftButton, {},
                          list()->visualRect(list()->model()->index(0, 0)).center());
        ASSERT_EQ(transcript()->count(), 2);
        EXPECT_EQ(transcript()->messageAt(0).text, QStringLiteral("talk"));
        const Message reply = transcript()->messageAt(1);
        EXPECT_EQ(reply.state, Message::State::Interrupted) << "nothing is being written any more";
        EXPECT_FALSE(chat().replying());
        EXPECT_GE(reply.text.size(), m_stored);
        EXPECT_TRUE(m_shown.startsWith(reply.text));
        end();
    }
}

} // namespace
} // namespace fireside::test
