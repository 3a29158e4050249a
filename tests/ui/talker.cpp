#include "tests/ui/talker.h"

#include "app/chat/open_chats.h"
#include "app/startup.h"
#include "tests/support/endless_model.h"
#include "tests/ui/program.h"

#include <QApplication>
#include <QTest>
#include <QTimer>

#include <cstdio>

namespace fireside::test {
namespace {

void tell(const char *what, const QByteArray &value)
{
    std::printf("%s %s\n", what, value.constData());
    std::fflush(stdout);
}

} // namespace

int talkUntilKilled(const QString &model)
{
    Program program;
    SamplingSettings greedy; // never comes to the token that ends a reply
    greedy.temperature = 0;
    program.settings.setSampling(greedy);
    LoadSettings load; // nor to the end of its context before it is killed
    load.context = kEndlessContext;
    program.settings.setLoad(load);
    program.chat.setDefaultSampling(greedy);
    OpenChats chats(program.settings, program.store, program.engine, &program.tools);
    Startup startup(program.settings, program.engine, chats, program.library, program.network,
                    program.remote);
    startup.runAfterFirstPaint(program.window, model);
    program.window.show();

    QObject::connect(&program.chat, &ChatController::canSendChanged, &program.window,
                     [&](bool can) {
                         if (!can || !program.chat.messages().isEmpty())
                             return;
                         auto *field = program.window.findChild<ComposerEdit *>();
                         QTest::keyClicks(field, "talk");
                         QTest::keyClick(field, Qt::Key_Return);
                     });
    QObject::connect(&program.chat, &ChatController::textAppended, &program.window,
                     [](int, const QString &text) { tell("shown", text.toUtf8().toBase64()); });

    // Twice as long as the program takes to store what it shows: between two ticks of this timer
    // there is one of the program's, however slow the computer is. So what was shown at one tick is
    // on the disk at the next.
    QTimer clock;
    qsizetype before = 0;
    QObject::connect(&clock, &QTimer::timeout, &program.window, [&] {
        tell("stored", QByteArray::number(before));
        before = program.chat.messages().isEmpty() ? 0 : program.chat.messages().last().text.size();
    });
    clock.start(2 * ChatController::kStoreEveryMs);
    return QApplication::exec();
}

} // namespace fireside::test
