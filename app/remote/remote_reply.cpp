#include "app/remote/remote_reply.h"

#include "app/network/http_exchange.h"
#include "app/network/network_gate.h"
#include "app/remote/remote_texts.h"
#include "app/runtime/context_window.h"

#include <QJsonDocument>
#include <QRandomGenerator>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>
#include <utility>

namespace fireside {
namespace {

constexpr int kMaxLeftOut = 24;
constexpr int kMaxShortenings = 3;

/// One that every server can take: those of C++ programs are often of 31 bits.
qint64 usableSeed(const SamplingSettings &sampling)
{
    return sampling.seed >= 0 ? sampling.seed
                              : QRandomGenerator::global()->bounded(qint64{1} << 31);
}

/// The parameter of the request that a server's sentence is about.
QString parameterIn(const RemoteProblem &problem, const QJsonObject &asked)
{
    const QString named = problem.parameter.section(QLatin1Char('.'), 0, 0);
    if (isOptionalParameter(named) && asked.contains(named))
        return named;
    for (const QString &name : asked.keys()) {
        const QRegularExpression word(QStringLiteral("\\b%1\\b").arg(name));
        if (isOptionalParameter(name) && word.match(problem.text).hasMatch())
            return name;
    }
    return {};
}

} // namespace

RemoteReply::RemoteReply(NetworkGate &gate, RemoteTarget target, ReplyJob job,
                         RefusedParameters &refused, RemotePatience patience, QObject *parent)
    : QObject(parent)
    , m_gate(gate)
    , m_target(std::move(target))
    , m_job(std::move(job))
    , m_asked(m_job)
    , m_refused(refused)
    , m_patience(patience)
    , m_seed(usableSeed(m_job.sampling))
{
    m_batch.setSingleShot(true);
    m_batch.setInterval(m_patience.collectMs);
    connect(&m_batch, &QTimer::timeout, this, &RemoteReply::flush);
    m_again.setSingleShot(true);
    connect(&m_again, &QTimer::timeout, this, [this] {
        emit waiting({});
        if (!m_over)
            ask();
    });
}

RemoteReply::~RemoteReply()
{
    cancel();
}

void RemoteReply::start()
{
    if (!m_job.begun.isEmpty() && !canContinueAnswers(m_target.model.kind)) {
        QMetaObject::invokeMethod(
            this,
            [this] {
                fail({.text = tr("%1 cannot go on with an answer that was begun; regenerate it")
                                  .arg(m_target.server.host())});
            },
            Qt::QueuedConnection);
        return;
    }
    ask();
}

void RemoteReply::ask()
{
    ++m_tries;
    const ChatBody body =
        chatBody(m_asked, m_target.model.name, m_target.model.kind, m_seed, m_refused);
    m_unsent = body.unsent;
    ExchangeRequest request;
    request.url = endpointOf(m_target.server.address, QStringLiteral("chat/completions"));
    request.purpose = tr("reply of %1").arg(m_target.model.name);
    request.post = true;
    request.body = QJsonDocument(body.json).toJson(QJsonDocument::Compact);
    request.headers = m_target.server.headers;
    if (!m_target.key.isEmpty())
        request.headers.append({"Authorization", "Bearer " + m_target.key});
    request.firstPatience = m_patience.firstWords;
    request.patience = m_patience.silence;
    request.mostBytes = qint64{256} << 20;

    m_stream = std::make_unique<ChatStream>();
    m_exchange = std::make_unique<HttpExchange>(m_gate, request);
    connect(m_exchange.get(), &HttpExchange::headArrived, this,
            [this](const QByteArray &type) { m_stream->begin(type); });
    connect(m_exchange.get(), &HttpExchange::dataArrived, this, &RemoteReply::take);
    connect(m_exchange.get(), &HttpExchange::finished, this, &RemoteReply::takeEnd);
    connect(m_exchange.get(), &HttpExchange::failed, this, [this](const ExchangeFailure &failure) {
        if (failure.kind == ExchangeFailure::Kind::Cut && m_stream->ended())
            return takeEnd(); // it had said everything
        takeFailure(problemOf(failure, m_target.server.host(), m_target.model.name,
                              !m_target.key.isEmpty()),
                    failure.status);
    });
    m_clock.start();
    m_exchange->start();
}

void RemoteReply::take(const QByteArray &data)
{
    std::vector<ReplyDelta> deltas;
    const int before = m_stream->pieces();
    m_stream->push(data, deltas);
    if (m_stream->pieces() > before) {
        m_lastWords = static_cast<double>(m_clock.elapsed()) / 1e3;
        if (m_firstWords < 0)
            m_firstWords = m_lastWords;
    }
    for (const ReplyDelta &delta : deltas)
        m_text.add(delta);
    if (!m_wrote && !deltas.empty())
        flush(); // the first words show at once
    else if (!deltas.empty() && !m_batch.isActive())
        m_batch.start();
    if (m_stream->problem())
        takeEnd();
}

void RemoteReply::takeEnd()
{
    std::vector<ReplyDelta> deltas;
    m_stream->finish(deltas);
    for (const ReplyDelta &delta : deltas)
        m_text.add(delta);
    flush();
    if (m_over)
        return;
    const QString host = m_target.server.host(), said = m_stream->finishReason();
    if (m_stream->problem()) {
        RemoteProblem problem = *m_stream->problem();
        problem.text = tr("%1: %2").arg(host, problem.text);
        return takeFailure(problem, 0);
    }
    if (!m_stream->ended())
        return takeFailure({.text = tr("the answer of %1 broke off").arg(host), .again = true}, 0);
    if (said == QLatin1String("error") || said == QLatin1String("abort"))
        return takeFailure({.text = tr("%1 ended the reply because of an error").arg(host)}, 0);
    // ik_llama.cpp says "stop" of every reply.
    const bool atLimit = m_target.model.kind == ServerKind::LlamaCpp &&
                         m_job.sampling.maxTokens > 0 &&
                         m_stream->usage().generatedTokens >= m_job.sampling.maxTokens;
    const bool cut =
        atLimit || said == QLatin1String("length") || said == QLatin1String("max_tokens");
    finish(cut && m_job.sampling.maxTokens > 0       ? QStringLiteral("length")
           : cut                                     ? QStringLiteral("server's limit")
           : said == QLatin1String("content_filter") ? QStringLiteral("content filter")
                                                     : QStringLiteral("end"));
}

void RemoteReply::flush()
{
    m_batch.stop();
    const QString text = m_text.takeNew();
    if (m_text.parts() != m_sentParts) {
        m_sentParts = m_text.parts();
        emit partsChanged(m_sentParts);
    }
    if (text.isEmpty() || m_over)
        return;
    m_wrote = true;
    emit textAdded(text, stats());
}

/// What can be done about it is done; else the reply ends.
void RemoteReply::takeFailure(RemoteProblem problem, int status)
{
    m_exchange.release()->deleteLater(); // it may be what is calling
    if (!m_wrote && (leftOutParameter(problem, status) || shortened(problem) || m_over ||
                     queues(problem) || triesAgain(problem)))
        return;
    fail(std::move(problem));
}

/// Some servers refuse what others take: the request goes without it, and the reply says so.
bool RemoteReply::leftOutParameter(const RemoteProblem &problem, int status)
{
    if ((status != 400 && status != 422) || m_leftOut >= kMaxLeftOut)
        return false;
    const ChatBody body =
        chatBody(m_asked, m_target.model.name, m_target.model.kind, m_seed, m_refused);
    QString name = problem.wantsCompletionTokens ? QStringLiteral("max_tokens")
                                                 : parameterIn(problem, body.json);
    if (name.isEmpty() && body.json.contains(QLatin1String("max_completion_tokens")) &&
        problem.text.contains(QLatin1String("max_completion_tokens")))
        name = QStringLiteral("max_completion_tokens");
    const bool promptFits = problem.tooLong && problem.tokens > 0 && problem.tokens < problem.room;
    if (name.isEmpty() || m_refused.contains(name) || (problem.tooLong && !promptFits))
        return false;
    m_refused.insert(name);
    ++m_leftOut;
    ask();
    return true;
}

/// The chat is too long: without its oldest messages, or the user is asked. The server's own
/// figures are the measure.
bool RemoteReply::shortened(const RemoteProblem &problem)
{
    const int room = problem.room > 0 ? problem.room : m_target.model.context;
    if (!problem.tooLong || room <= 0 || m_shortenings >= kMaxShortenings)
        return false;
    const auto letters = [](const QList<TurnMessage> &messages) {
        constexpr qsizetype kFrame = 16; // what a template writes around a message
        qsizetype all = 0;
        for (const TurnMessage &message : messages)
            all += message.text.size() + kFrame;
        return static_cast<double>(all);
    };
    const double perLetter = std::max(problem.tokens, room + 1) / letters(m_asked.messages);
    // What was left out before was not enough.
    const int target = static_cast<int>(room * std::pow(0.85, m_shortenings));
    try {
        const ContextWindow window = fitContext(
            m_job.messages, target, m_job.dropOldest, 0, [&](const QList<TurnMessage> &messages) {
                return static_cast<int>(std::ceil(letters(messages) * perLetter));
            });
        if (window.firstSeen == 0)
            return false; // the server's own words say it
        m_asked.messages = window.messages;
        ++m_shortenings;
        emit contextTrimmed(window.firstSeen);
        ask();
    } catch (const ContextFull &full) {
        emit contextFull(full.shortage());
        fail({.text = QString::fromUtf8(full.what())});
    } catch (const Error &) {
        return false; // the server's own words say it
    }
    return true;
}

/// Others of this program are written there: the end of one makes room.
bool RemoteReply::queues(const RemoteProblem &problem)
{
    if (!problem.busy || !m_others || !m_others())
        return false;
    m_queued = true;
    emit queued();
    return true;
}

void RemoteReply::askAgain()
{
    if (!m_over && std::exchange(m_queued, false))
        ask();
}

bool RemoteReply::triesAgain(const RemoteProblem &problem)
{
    using namespace std::chrono;
    // Where nobody is, somebody seldom comes within seconds.
    const int tries = problem.noAnswer ? std::min(2, m_patience.tries) : m_patience.tries;
    if (!problem.again || m_tries >= tries || problem.wait > m_patience.longestWait)
        return false;
    const milliseconds wait = std::max<milliseconds>(
        problem.wait, m_patience.firstWait * (1 << std::min(m_tries - 1, 8)));
    m_again.start(wait);
    emit waiting(tr("%1; trying again in %2 s (attempt %3 of %4)")
                     .arg(problem.text)
                     .arg(ceil<seconds>(wait).count())
                     .arg(m_tries + 1)
                     .arg(tries));
    return true;
}

void RemoteReply::stop()
{
    if (m_over)
        return;
    flush();
    finish(QStringLiteral("stopped"));
}

void RemoteReply::cancel()
{
    m_over = true;
    m_batch.stop();
    m_again.stop();
    if (m_exchange) {
        disconnect(m_exchange.get(), nullptr, this, nullptr);
        m_exchange->cancel();
        m_exchange.release()->deleteLater();
    }
}

void RemoteReply::finish(const QString &reason)
{
    if (m_over)
        return;
    ReplyStats all = stats();
    all.finish = reason;
    cancel();
    emit finished(all);
}

void RemoteReply::fail(RemoteProblem problem)
{
    if (m_over)
        return;
    flush();
    cancel();
    emit failed(problem);
}

/// The server's figures where it gives them; until then pieces are counted, of a token each on
/// most servers.
ReplyStats RemoteReply::stats() const
{
    ReplyStats all;
    all.seed = m_seed;
    all.contextTotal = m_target.model.context;
    if (m_stream && m_stream->model() != m_target.model.name)
        all.servedModel = m_stream->model();
    all.unsent = m_unsent;
    if (!m_stream)
        return all;
    const RemoteUsage &usage = m_stream->usage();
    all.promptTokens = std::max(0, usage.promptTokens);
    all.reusedTokens = std::clamp(usage.cachedTokens, 0, all.promptTokens);
    all.generatedTokens = usage.generatedTokens >= 0 ? usage.generatedTokens : m_stream->pieces();
    all.promptSeconds =
        usage.promptSeconds >= 0 ? usage.promptSeconds : std::max(0.0, m_firstWords);
    all.generateSeconds =
        usage.generateSeconds >= 0 ? usage.generateSeconds : m_lastWords - m_firstWords;
    all.contextUsed = usage.promptTokens >= 0 ? all.promptTokens + all.generatedTokens : 0;
    return all;
}

} // namespace fireside
