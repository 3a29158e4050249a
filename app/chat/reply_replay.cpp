#include "app/chat/reply_replay.h"

#include "app/chat/call_messages.h"
#include "app/chat/chat_texts.h"
#include "app/runtime/engine_service.h"
#include "app/settings/setting_values.h"

#include <QCoreApplication>

#include <algorithm>
#include <utility>

namespace fireside {
namespace {

QString stringIn(const QJsonObject &record, const char *key)
{
    return record[QLatin1String(key)].toString();
}

/// The word at a place, with what surrounds it.
QString around(const QString &text, qsizetype at)
{
    constexpr qsizetype kLettersBefore = 12, kLetters = 48;
    const qsizetype from = std::max<qsizetype>(0, at - kLettersBefore);
    return text.mid(from, kLetters).simplified();
}

} // namespace

QString replayRefusal(const Message &reply)
{
    const QJsonObject &record = reply.record;
    if (reply.role != QLatin1String("assistant") || !record.contains(QLatin1String("seed")))
        return ReplyReplay::tr("This reply has no record of how it was made.");
    if (stringIn(record, "backend") == QLatin1String("server"))
        return ReplyReplay::tr("This reply was written by a server, whose computing is not known; "
                               "only replies of this computer can be computed again exactly.");
    if (record.contains(QLatin1String("continued")))
        return ReplyReplay::tr("This reply was continued; only one that was written in one go can "
                               "be computed again.");
    if (isSummary(reply))
        return ReplyReplay::tr("Summaries are not computed again.");
    if (reply.state != Message::State::Complete && reply.state != Message::State::Stopped)
        return ReplyReplay::tr("This reply was not finished.");
    return {};
}

QStringList replayDifferences(const QJsonObject &record, const ModelStatus &now,
                              const QString &version)
{
    QStringList reasons;
    const auto compare = [&](const QString &what, const QString &then, const QString &current) {
        if (!then.isEmpty() && then != current)
            reasons += ReplyReplay::tr("%1 is “%2”, it was “%3”").arg(what, current, then);
    };
    compare(ReplyReplay::tr("the model"), stringIn(record, "model"), now.name);
    if (stringIn(record, "fingerprint") != now.fingerprint && stringIn(record, "model") == now.name)
        reasons += ReplyReplay::tr("the model's file has other contents");
    if (stringIn(record, "quantisedTo") != now.quantisedTo)
        reasons += ReplyReplay::tr("its weights were quantised otherwise while loading");
    compare(ReplyReplay::tr("the backend"), stringIn(record, "backend"), now.backend);
    compare(ReplyReplay::tr("the device"), stringIn(record, "device"), now.device);
    compare(ReplyReplay::tr("the placement"), stringIn(record, "placement"), now.placement);
    compare(ReplyReplay::tr("the context memory"), stringIn(record, "kvType"),
            QString::fromStdString(now.asked.kvType));
    compare(ReplyReplay::tr("the program's version"), stringIn(record, "version"), version);
    if (record.contains(QLatin1String("moves")))
        reasons += ReplyReplay::tr("a device failed in the middle of it, and it went on elsewhere");
    return reasons;
}

ReplyJob replayJob(const QList<Message> &path)
{
    const QJsonObject &record = path.last().record;
    ReplyJob job;
    job.sampling = groupFromJson<SamplingSettings>(record[QLatin1String("sampling")].toObject());
    job.sampling.seed = record[QLatin1String("seed")].toInteger();
    job.reuse = record[QLatin1String("reusedTokens")].toInt(-1);
    // What the user did meanwhile.
    if (const int thoughts = record[QLatin1String("thoughtTokens")].toInt(); thoughts > 0)
        job.sampling.thinkingBudget = thoughts;
    if (path.last().state == Message::State::Stopped)
        job.sampling.maxTokens = std::max(1, record[QLatin1String("generatedTokens")].toInt());
    job.tools = toolOffersFrom(record[kOfferedToolsKey].toArray());
    QList<Message> before = path;
    before.removeLast();
    Turns turns =
        turnsOf(before, QString::fromStdString(job.sampling.systemPrompt), !job.tools.isEmpty());
    // Only what it saw.
    const int back = record[kSeenBackKey].toInt();
    const auto first = static_cast<int>(path.size()) - 1 - back;
    for (qsizetype i = 0; i < turns.messages.size(); ++i)
        if (back == 0 || turns.pathIndex[i] < 0 || turns.pathIndex[i] >= first)
            job.messages.append(turns.messages[i]);
    job.dropOldest = false;
    return job;
}

ReplyReplay::ReplyReplay(EngineService &engine, QObject *parent)
    : QObject(parent)
    , m_engine(engine)
{
    connect(&m_engine, &EngineService::textAdded, this,
            [this](qint64 job, const QString &text, const ReplyStats &stats) {
                if (job != m_job || m_job == 0)
                    return;
                m_text += text;
                emit progressed(stats.generatedTokens,
                                m_reply.record[QLatin1String("generatedTokens")].toInt());
            });
    connect(&m_engine, &EngineService::replyFinished, this,
            [this](qint64 job, const ReplyStats &stats) {
                if (job == m_job && m_job != 0)
                    finish(stats);
            });
    connect(&m_engine, &EngineService::replyFailed, this,
            [this](qint64 job, const QString &problem) {
                if (job == m_job && m_job != 0)
                    fail(problem);
            });
}

ReplyReplay::~ReplyReplay()
{
    if (running())
        m_engine.stop();
}

void ReplyReplay::start(const QList<Message> &path)
{
    if (running())
        return;
    m_reply = path.last();
    m_text.clear();
    if (const QString refusal = replayRefusal(m_reply); !refusal.isEmpty())
        return fail(refusal);
    if (m_engine.model().isElsewhere())
        return fail(
            tr("The model that is loaded runs on a server, which cannot compute it exactly; "
               "load the model that wrote it."));
    if (m_engine.state() != EngineState::Ready)
        return fail(tr("The model is not ready."));
    ReplyJob job = replayJob(path);
    m_job = job.id = -m_reply.id; // of no message
    m_engine.reply(job);
}

void ReplyReplay::fail(const QString &problem)
{
    m_job = 0;
    emit finished({.kind = ReplayResult::Failed, .problem = problem});
}

void ReplyReplay::finish(const ReplyStats &stats)
{
    m_job = 0;
    const bool wasStopped = m_reply.state == Message::State::Stopped;
    if (stats.finish == QLatin1String("stopped") && !wasStopped)
        return fail(tr("It was stopped."));
    ReplayResult result;
    const QString &then = m_reply.text;
    const auto differ = std::mismatch(then.begin(), then.end(), m_text.begin(), m_text.end());
    result.at = differ.first - then.begin();
    // A reply that was stopped may hold back its last letters.
    const bool same =
        then == m_text || (wasStopped && (m_text.startsWith(then) || then.startsWith(m_text)));
    result.kind = same ? ReplayResult::Same : ReplayResult::Different;
    if (!same) {
        result.then = around(then, result.at);
        result.now = around(m_text, result.at);
        result.reasons = replayDifferences(m_reply.record, m_engine.model(),
                                           QCoreApplication::applicationVersion());
        const int reused = m_reply.record[QLatin1String("reusedTokens")].toInt();
        if (reused != stats.reusedTokens)
            result.reasons +=
                tr("%1 tokens of the prompt were taken from the cache, %2 then: computed in other "
                   "passes they differ in the last digits")
                    .arg(stats.reusedTokens)
                    .arg(reused);
    }
    emit finished(result);
}

} // namespace fireside
