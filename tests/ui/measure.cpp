#include "tests/ui/measure.h"

#include "tests/ui/program.h"

#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QListView>
#include <QScrollBar>
#include <QTest>

#include <algorithm>
#include <cstdio>

namespace fireside::test {
namespace {

double milliseconds(const QElapsedTimer &clock)
{
    return double(clock.nsecsElapsed()) / 1e6;
}

void report(const char *what, QList<double> times)
{
    std::sort(times.begin(), times.end());
    const auto at = [&](double part) {
        return times.at(std::min(times.size() - 1, qsizetype(part * double(times.size()))));
    };
    std::printf("%-44s median %7.1f  p95 %7.1f  worst %7.1f ms (%d runs)\n", what, at(0.5),
                at(0.95), times.last(), int(times.size()));
}

/// Words that are not all alike, as in a text.
QString textOf(int seed)
{
    static const QStringList kWords = QStringLiteral("the model reads a message and writes what "
                                                     "follows with its weights in memory on disk "
                                                     "while nobody waits for long answers")
                                          .split(QLatin1Char(' '));
    QString text;
    quint32 state = quint32(seed) * 2654435761u + 1;
    for (int i = 0; i < 60; ++i) {
        state = state * 1664525u + 1013904223u;
        text += kWords.at(int(state >> 8) % int(kWords.size())) + (i % 12 == 11 ? u'\n' : u' ');
    }
    return text + QStringLiteral("number%1").arg(seed);
}

ChatTree treeOf(int messages, int seed)
{
    ChatTree tree;
    tree.title = QStringLiteral("Chat %1").arg(seed);
    tree.created = tree.updated = QDateTime::currentDateTimeUtc();
    for (int i = 0; i < messages; ++i) {
        Message message;
        message.id = i + 1;
        message.parentId = i;
        message.role = i % 2 ? QStringLiteral("assistant") : QStringLiteral("user");
        message.text = textOf(seed * messages + i);
        if (i % 10 == 1)
            message.text += QStringLiteral("\n\n```cpp\nint value = %1;\n```\n").arg(i);
        message.created = tree.created;
        tree.messages.append(message);
    }
    tree.currentLeaf = messages;
    return tree;
}

void measureSearch(Program &program)
{
    constexpr int kChats = 1000, kEach = 100;
    QList<ChatTree> trees;
    for (int i = 0; i < kChats; ++i)
        trees += treeOf(kEach, i);
    QElapsedTimer clock;
    clock.start();
    program.store.addTrees(trees);
    std::printf("storing %d messages in one import: %.0f ms\n", kChats * kEach,
                milliseconds(clock));
    for (const char *words : {"number77777", "number7", "memory disk", "the"}) {
        QList<double> times;
        qsizetype found = 0;
        for (int i = 0; i < 9; ++i) {
            clock.start();
            found = program.store.list(QLatin1String(words)).size();
            times += milliseconds(clock);
        }
        report(qPrintable(QStringLiteral("search “%1” (%2 chats)").arg(words).arg(found)), times);
    }
}

/// The first of two chats, each time after the other one.
void measureOpening(Program &program, const QList<qint64> &ids, const char *what)
{
    QList<double> times;
    for (int i = 0; i < 9; ++i) {
        program.chat.openConversation(ids[1]);
        program.window.repaint();
        QElapsedTimer clock;
        clock.start();
        program.chat.openConversation(ids[0]);
        program.window.repaint();
        times += milliseconds(clock);
    }
    report(what, times);
}

void measureOpening(Program &program)
{
    measureOpening(program, program.store.addTrees({treeOf(10'000, 5000), treeOf(2, 6000)}),
                   "opening a chat of 10,000 messages");
}

/// Through the whole of the open chat: by pages, so that each frame has messages that no other had.
void measureScrolling(Program &program, const char *what)
{
    TranscriptView &view = *program.window.chatPanel()->transcript();
    QScrollBar &bar = *view.verticalScrollBar();
    constexpr int kFrames = 600;
    QList<double> times;
    QElapsedTimer clock;
    for (int i = 0; i < kFrames; ++i) {
        clock.start();
        bar.setValue(static_cast<int>(qint64(bar.maximum()) * i / kFrames));
        view.viewport()->repaint();
        times += milliseconds(clock);
        QApplication::processEvents();
    }
    report(what, times);
}

/// 300,000 tokens of four characters, in messages as long as people and models write them.
void measureLongChat(Program &program)
{
    constexpr qsizetype kCharacters = 300'000 * 4;
    ChatTree tree = treeOf(2, 7000);
    qsizetype written = 0;
    for (int i = 0; written < kCharacters; ++i) {
        Message message = tree.messages.last();
        message.parentId = message.id++;
        message.role = i % 2 ? QStringLiteral("assistant") : QStringLiteral("user");
        message.text.clear();
        while (message.text.size() < (i % 2 ? 4000 : 300))
            message.text += textOf(i) + QStringLiteral("\n\n");
        written += message.text.size();
        tree.messages.append(message);
    }
    tree.currentLeaf = tree.messages.last().id;
    measureOpening(program, program.store.addTrees({tree, treeOf(2, 8000)}),
                   "opening a chat of 300,000 tokens");
    measureScrolling(program, "a frame of scrolling through it");
}

/// How long the view takes for each of its frames: layout, and painting at once.
class FrameClock : public QObject
{
public:
    QList<double> times;

    bool eventFilter(QObject *watched, QEvent *event) override
    {
        if (event->type() != QEvent::Timer || m_inside)
            return false;
        m_inside = true;
        QElapsedTimer clock;
        clock.start();
        QApplication::sendEvent(watched, event);
        static_cast<TranscriptView *>(watched)->viewport()->repaint();
        times += milliseconds(clock);
        m_inside = false;
        return true;
    }

private:
    bool m_inside = false;
};

/// Ten seconds of a reply at 1000 tokens of four characters a second.
void measureStream(Program &program, const char *what)
{
    constexpr qint64 kSeconds = 10, kCharactersPerMs = 4;
    TranscriptView &view = *program.window.chatPanel()->transcript();
    Message reply;
    reply.id = 1'000'000'000;
    reply.role = QStringLiteral("assistant");
    reply.state = Message::State::Streaming;
    reply.created = QDateTime::currentDateTimeUtc();
    view.appendMessage(reply);
    QString source;
    for (int i = 0; source.size() < kSeconds * 1000 * kCharactersPerMs; ++i)
        source += textOf(i) + (i % 3 ? QStringLiteral("\n\n")
                                     : QStringLiteral("\n\n```cpp\nfor (;;) {\n}\n```\n\n"));
    FrameClock frames;
    view.installEventFilter(&frames);
    QElapsedTimer clock;
    clock.start();
    while (clock.elapsed() < kSeconds * 1000) {
        reply.text = source.left(clock.elapsed() * kCharactersPerMs);
        view.updateMessage(view.count() - 1, reply);
        QTest::qWait(1);
    }
    view.removeEventFilter(&frames);
    report(what, frames.times);
}

/// Each is a hole behind its own header, all of one size: the worst case for finding copies.
void makeModels(int count)
{
    QFile model(QStringLiteral(FIRESIDE_TEST_DATA "/golden/gguf/q4_k.gguf"));
    model.open(QIODevice::ReadOnly);
    const qint64 size = model.size();
    QByteArray header = model.read(96 << 10);
    const QString folder = ModelLibrary::firesideFolder();
    for (int i = 0; i < count; ++i) {
        QFile file(QStringLiteral("%1/%2/%3.gguf").arg(folder).arg(i / 100).arg(i));
        QDir().mkpath(QFileInfo(file).path());
        file.open(QIODevice::WriteOnly);
        file.write(header);
        file.resize(size);
        file.seek(size - 100);
        file.write(QByteArray::number(i).rightJustified(8, '0'));
    }
}

void measureLibrary()
{
    constexpr int kModels = 5000;
    makeModels(kModels);
    QList<double> scans;
    for (int start = 0; start < 2; ++start) {
        Program program;
        program.window.show();
        program.window.showModels();
        for (int run = 0; run < 3; ++run) {
            QElapsedTimer clock;
            clock.start();
            if (!program.library.scanning())
                program.library.rescan();
            if (!QTest::qWaitFor([&] { return !program.library.scanning(); }, kPatience))
                return;
            QApplication::processEvents();
            std::printf("start %d, scan %d of %d models: %.0f ms\n", start, run,
                        int(program.library.entries().size()), milliseconds(clock));
        }
        program.engine.shutdown();
    }
}

} // namespace

int measureWindow()
{
    measureLibrary();
    Program program;
    program.window.resize(1180, 780);
    program.window.show();
    QApplication::processEvents();
    measureOpening(program);
    measureScrolling(program, "a frame of scrolling through 10,000 messages");
    measureStream(program, "a frame of a reply at 1000 tokens/s");
    measureLongChat(program);
    measureStream(program, "a frame of such a reply behind 300,000 tokens");
    measureSearch(program);
    program.engine.shutdown();
    return 0;
}

} // namespace fireside::test
