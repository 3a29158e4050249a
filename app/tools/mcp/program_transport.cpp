#include "app/tools/mcp/program_transport.h"

#include <QStandardPaths>

#include <csignal>
#include <sys/prctl.h>
#include <unistd.h>

#include <utility>

namespace fireside::mcp {
namespace {

constexpr qsizetype kLongestMessage = 16 << 20, kLongestErrorLine = 64 << 10;
constexpr int kCloseMs = 1500;            // between two steps of ending it
constexpr int kAtEndMs = 250;             // the same while this program ends
constexpr qint64 kMostWaiting = 64 << 20; // bytes that it does not read

/// In the child, before its program is there: only what is safe between fork and exec.
void leaveFamily(pid_t parent, bool ownSession)
{
    if (ownSession)
        setsid();
    else
        setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) // it was gone before that
        _exit(127);
}

} // namespace

ProgramTransport::ProgramTransport(const McpServerConfig &config, QObject *parent)
    : Transport(parent)
    , m_config(config)
    , m_output(kLongestMessage)
    , m_errors(kLongestErrorLine)
{
    m_patience.setInterval(kCloseMs);
    connect(&m_patience, &QTimer::timeout, this,
            [this] { signalGroup(m_signals++ == 0 ? SIGTERM : SIGKILL); });
}

ProgramTransport::~ProgramTransport()
{
    m_over = true;
    if (!m_process)
        return;
    disconnect(m_process, nullptr, this, nullptr);
    if (m_process->state() != QProcess::NotRunning) {
        m_process->closeWriteChannel();
        dropOutput(); // it would be kept while this waits
        for (const int signal : {0, SIGTERM, SIGKILL}) {
            if (signal != 0)
                signalGroup(signal);
            if (m_process->waitForFinished(kAtEndMs))
                break;
        }
    }
    signalGroup(SIGKILL); // what it has left behind
    if (m_guard) {
        m_guard->kill();
        m_guard->waitForFinished(kAtEndMs);
    }
}

void ProgramTransport::open()
{
    const QProcessEnvironment environment =
        serverEnvironment(m_config, QProcessEnvironment::systemEnvironment());
    // As its own variables say, not as ours.
    const QStringList paths =
        environment.value(QStringLiteral("PATH")).split(QLatin1Char(':'), Qt::SkipEmptyParts);
    const bool isPath = m_config.command.contains(QLatin1Char('/'));
    const QString program =
        isPath ? m_config.command : QStandardPaths::findExecutable(m_config.command, paths);
    if (program.isEmpty()) {
        const QString why = tr("the program “%1” was not found").arg(m_config.command);
        QMetaObject::invokeMethod(
            this, [this, why] { fail(why); }, Qt::QueuedConnection);
        return;
    }
    m_process = new QProcess(this);
    m_process->setProcessEnvironment(environment);
    m_process->setWorkingDirectory(
        m_config.folder.isEmpty() ? environment.value(QStringLiteral("HOME")) : m_config.folder);
    m_process->setChildProcessModifier([parent = getpid()] { leaveFamily(parent, false); });
    connect(m_process, &QProcess::started, this, [this] {
        m_group = m_process->processId();
        guard();
        emit opened();
    });
    connect(m_process, &QProcess::readyReadStandardOutput, this, &ProgramTransport::readOutput);
    connect(m_process, &QProcess::readyReadStandardError, this, &ProgramTransport::readErrors);
    connect(m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            fail(tr("“%1” cannot be started: %2").arg(m_config.command, m_process->errorString()));
    });
    connect(m_process, &QProcess::finished, this, [this] {
        readOutput();
        readErrors();
        if (m_guard)
            m_guard->kill();
        signalGroup(SIGKILL);
        m_group = 0;
        fail(howItEnded());
        if (m_patience.isActive()) // it was closed
            deleteLater();
    });
    m_process->start(program, m_config.arguments);
}

/// Waits for the end of its input, which comes when this program is gone, however it went.
void ProgramTransport::guard()
{
    m_guard = new QProcess(this);
    QProcessEnvironment environment;
    environment.insert(QStringLiteral("PATH"), QStringLiteral("/usr/bin:/bin"));
    m_guard->setProcessEnvironment(environment);
    m_guard->setChildProcessModifier([] { setsid(); });
    m_guard->setStandardOutputFile(QProcess::nullDevice());
    m_guard->setStandardErrorFile(QProcess::nullDevice());
    m_guard->start(QStringLiteral("/bin/sh"),
                   {QStringLiteral("-c"),
                    QStringLiteral("read -r end; kill -s TERM -- \"-$0\"; sleep 1; "
                                   "kill -s KILL -- \"-$0\""),
                    QString::number(m_group)});
}

void ProgramTransport::signalGroup(int signal) const
{
    if (m_group > 1)
        ::kill(static_cast<pid_t>(-m_group), signal);
}

QString ProgramTransport::howItEnded() const
{
    const QString end =
        m_process->exitStatus() == QProcess::CrashExit
            ? tr("its program was ended by a signal")
            : tr("its program ended with exit status %1").arg(m_process->exitCode());
    return m_lastWords.isEmpty() ? end : tr("%1; its last words: %2").arg(end, m_lastWords);
}

void ProgramTransport::fail(const QString &why)
{
    if (!std::exchange(m_over, true))
        emit broken(why);
}

void ProgramTransport::send(const Outgoing &message)
{
    if (m_over || !m_process)
        return;
    if (m_process->bytesToWrite() > kMostWaiting)
        return fail(tr("its program does not read what it is sent"));
    m_process->write(bytesOf(message.body) + '\n');
}

void ProgramTransport::dropOutput()
{
    m_process->closeReadChannel(QProcess::StandardOutput);
    m_process->closeReadChannel(QProcess::StandardError);
}

/// A program that writes without end is not waited for.
void ProgramTransport::endFlood(const QString &why)
{
    dropOutput();
    signalGroup(SIGKILL);
    fail(why);
    close();
}

void ProgramTransport::readOutput()
{
    const QByteArray bytes = m_process->readAllStandardOutput();
    if (m_over)
        return; // nobody wants it any more
    m_output.push(bytes);
    while (const auto line = m_output.next()) {
        if (m_over)
            return;
        if (line->trimmed().isEmpty())
            continue;
        if (const auto message = parsedJson(*line))
            emit received(*message);
        else
            emit said(QString::fromUtf8(line->left(500)));
    }
    if (m_output.overlong())
        endFlood(
            tr("its program writes a message of more than %1 MB").arg(kLongestMessage / (1 << 20)));
}

void ProgramTransport::readErrors()
{
    m_errors.push(m_process->readAllStandardError());
    while (const auto line = m_errors.next()) {
        const QString text = QString::fromUtf8(line->left(500)).trimmed();
        if (text.isEmpty())
            continue;
        m_lastWords = text.left(300);
        if (!m_over)
            emit said(text);
    }
    if (m_errors.overlong())
        m_errors = LineReader(kLongestErrorLine);
}

void ProgramTransport::close()
{
    m_over = true;
    if (!m_process || m_process->state() == QProcess::NotRunning) {
        deleteLater();
        return;
    }
    m_process->closeWriteChannel();
    m_patience.start();
}

} // namespace fireside::mcp
