#include "support.h"

#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QDir>
#include <QEventLoop>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QThread>

#include <cstdio>
#include <functional>
#include <memory>
#include <vector>

namespace fireside::test {

bool waitFor(const std::function<bool()> &condition, int milliseconds)
{
    const QDeadlineTimer deadline(milliseconds);
    while (!condition()) {
        if (deadline.hasExpired())
            return false;
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
        QThread::msleep(1);
    }
    return true;
}

QString newFolder()
{
    static std::vector<std::unique_ptr<QTemporaryDir>> folders;
    folders.push_back(std::make_unique<QTemporaryDir>());
    // For everybody, because some tests drop their privileges.
    const QString path = folders.back()->path();
    QFile::setPermissions(path, QFile::Permissions(0x7777));
    return path;
}

QString endlessModel()
{
    static const QString path = [] {
        const QString copy = newFolder() + QStringLiteral("/endless.gguf");
        writeEndlessModel(copy.toStdString());
        return copy;
    }();
    return path;
}

void writeFile(const QString &path, const QByteArray &content)
{
    QDir().mkpath(QFileInfo(path).absolutePath());
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly)) << qPrintable(path);
    ASSERT_EQ(file.write(content), content.size());
}

void makeLink(const QString &target, const QString &path)
{
    QDir().mkpath(QFileInfo(path).absolutePath());
    ASSERT_TRUE(QFile::link(target, path)) << qPrintable(path);
}

Message makeMessage(const QString &role, const QString &text, qint64 parentId)
{
    Message message;
    message.role = role;
    message.text = text;
    message.parentId = parentId;
    message.created = QDateTime::currentDateTime();
    return message;
}

qint64 addChat(ConversationStore &store, qint64 conversation, int messages)
{
    qint64 last = 0;
    for (int i = 0; i < messages; ++i) {
        const QString role = i % 2 == 0 ? QStringLiteral("user") : QStringLiteral("assistant");
        last = store.addMessage(
            conversation,
            makeMessage(role, QStringLiteral("message number %1 of this chat").arg(i), last));
    }
    return last;
}

namespace {

// Writes a growing reply until it is killed.
int writeUntilKilled(const QString &folder)
{
    ConversationStore store(folder);
    const qint64 chat = store.addConversation(QStringLiteral("a chat"), {});
    const qint64 question =
        store.addMessage(chat, makeMessage(QStringLiteral("user"), QStringLiteral("why?"), 0));
    Message reply = makeMessage(QStringLiteral("assistant"), {}, question);
    reply.state = Message::State::Streaming;
    const qint64 id = store.addMessage(chat, reply);
    QString text;
    for (int word = 0;; ++word) {
        text += QStringLiteral("word%1 ").arg(word);
        store.updateMessage(id, text, Message::State::Streaming, {}, {});
        std::printf("%d\n", word);
        std::fflush(stdout);
    }
}

} // namespace

int playRole(const QStringList &arguments)
{
    const qsizetype role = arguments.indexOf(QLatin1String("--role"));
    if (role < 0)
        return -1;
    if (arguments.value(role + 1) == QLatin1String("writer"))
        return writeUntilKilled(arguments.value(role + 2));
    return 2;
}

} // namespace fireside::test
