#include "app/runtime/engine_worker.h"

#include "app/runtime/context_window.h"
#include "app/runtime/engine_batch.h"
#include "app/runtime/engine_text.h"
#include "app/runtime/reply_prompt.h"
#include "app/runtime/reply_text.h"
#include "app/runtime/status_values.h"
#include "app/server/served_models.h"
#include "app/settings/engine_requests.h"
#include "engine/core/exception_guard.h"
#include "engine/core/memory_reserve.h"
#include "engine/core/quote.h"
#include "engine/measure_model.h"

#include <QElapsedTimer>
#include <QFile>

#include <cmath>
#include <functional>
#include <new>
#include <utility>

namespace fireside {
namespace {

QString sentence(const std::exception &problem)
{
    return QString::fromStdString(printable(problem.what()));
}

QString outOfMemory()
{
    return EngineWorker::tr("%1; close other programs or choose a smaller model or context")
        .arg(QString::fromStdString(outOfMemoryText()));
}

} // namespace

EngineWorker::EngineWorker(EngineOptions options, std::shared_ptr<PrefixCache> cache)
    : m_cache(std::move(cache))
    , m_engine(std::move(options))
    , m_loaded(m_engine, whereItIs(), m_cache.get())
{}

EngineWorker::~EngineWorker()
{
    dropRequests();
}

void EngineWorker::post(std::function<void(EngineWorker &)> request)
{
    const std::lock_guard lock(m_mutex);
    m_requests.push_back(std::move(request));
    m_quiet.request_stop();
    QMetaObject::invokeMethod(this, "serve", Qt::QueuedConnection);
}

void EngineWorker::postAside(std::function<void(EngineWorker &)> request)
{
    const std::lock_guard lock(m_mutex);
    m_aside = std::move(request);
    QMetaObject::invokeMethod(this, "serve", Qt::QueuedConnection);
}

void EngineWorker::serve()
{
    std::function<void(EngineWorker &)> request;
    {
        const std::lock_guard lock(m_mutex);
        if (m_requests.empty()) {
            request = std::exchange(m_aside, nullptr);
        } else {
            request = std::move(m_requests.front());
            m_requests.pop_front();
        }
    }
    if (request)
        containExceptions("worker.serve", [&] { request(*this); });
}

void EngineWorker::dropRequests()
{
    const std::lock_guard lock(m_mutex);
    m_requests.clear();
    m_aside = nullptr;
    m_quiet.request_stop();
    m_ending.request_stop();
}

MovesTold EngineWorker::whereItIs()
{
    MovesTold told;
    told.sleep = &m_sleep;
    told.paused = [this] { emit asleep(false); };
    told.moved = [this](const LoadedModel &model, double seconds) {
        emit moved(m_ticket, toStatus(model, m_settings, seconds));
    };
    told.fileChanged = [this] { emit fileLost(); };
    told.lost = [this](const Error &error) {
        tellDesk(sentence(error));
        emit loadFailed(m_ticket, sentence(error), false);
    };
    return told;
}

void EngineWorker::probe()
{
    try {
        m_engine.devices();
        tellDevices();
    } catch (const std::bad_alloc &) {
        emit probed({}, outOfMemory());
    } catch (...) {
        const Error error = currentError();
        emit probed({}, sentence(error));
    }
}

void EngineWorker::tellDevices()
{
    QList<DeviceStatus> devices;
    for (const DeviceReport &report : m_engine.devices())
        devices.append(toStatus(report));
    emit probed(devices, {});
}

void EngineWorker::load(quint64 ticket, const QString &path, const LoadSettings &settings,
                        const std::stop_token &stop)
{
    m_loaded.unload(); // whatever becomes of the new one
    m_id = server::usualId(QFile::encodeName(path).toStdString());
    if (m_desk != nullptr)
        m_desk->setState(server::ModelDesk::State::Loading);
    m_ticket = ticket;
    m_settings = settings;
    m_firstSeen = 0;
    m_firstSeenText.clear();
    try {
        if (stop.stop_requested())
            throwCancelled();
        QElapsedTimer timer;
        timer.start();
        const auto progress = [&](const char *stage, double fraction) {
            emit loadProgress(ticket, QString::fromUtf8(stage), fraction);
        };
        m_loaded.load(QFile::encodeName(path).toStdString(), toLoadOptions(settings), progress,
                      stop);
        if (stop.stop_requested())
            throwCancelled();
        emit loaded(ticket, toStatus(*m_loaded.model(), settings,
                                     static_cast<double>(timer.elapsed()) / 1e3));
        return;
    } catch (const Error &error) {
        m_loaded.unload();
        emit loadFailed(ticket, withoutPath(sentence(error), path),
                        error.kind() == ErrorKind::Cancelled);
    } catch (const std::bad_alloc &) {
        m_loaded.unload();
        emit loadFailed(ticket, outOfMemory(), false);
    } catch (...) {
        const Error error = currentError();
        m_loaded.unload();
        emit loadFailed(ticket, sentence(error), false);
    }
    tellDesk(tr("the model could not be loaded"));
}

void EngineWorker::measure(quint64 ticket, const QString &path, const LoadSettings &settings,
                           const std::stop_token &stop, const std::stop_token &skip)
{
    m_loaded.unload();
    if (m_desk != nullptr)
        m_desk->setState(server::ModelDesk::State::Loading);
    MeasureStatus status{.path = path};
    std::stop_source either;
    const std::stop_callback stopped(stop, [&either] { either.request_stop(); });
    const std::stop_callback skipped(skip, [&either] { either.request_stop(); });
    const auto next = [&](const PlacementOption &option, int done, int all) {
        const QString place = QString::fromStdString(printable(option.name));
        emit measureProgress(place, done, all);
        emit loadProgress(ticket, tr("measuring on %1").arg(engineText(place)),
                          all > 0 ? static_cast<double>(done) / all : 0);
    };
    try {
        const std::string file = QFile::encodeName(path).toStdString();
        const LoadOptions options = toLoadOptions(settings);
        const auto places = measureModel(m_engine, file, options, next, either.get_token());
        for (const PlacementMeasurement &each : places)
            if (!each.problem.empty() && each.option.refusal.empty())
                status.problems.append(
                    QString::fromStdString(printable(each.option.name + ": " + each.problem)));
        status.reason = QString::fromStdString(
            printable(m_engine.choose(file, options, either.get_token()).selection.reason));
    } catch (const std::bad_alloc &) {
        status.problem = outOfMemory();
    } catch (...) {
        const Error error = currentError();
        status.stopped = either.stop_requested();
        if (!status.stopped)
            status.problem = withoutPath(sentence(error), path);
    }
    emit measured(status);
}

void EngineWorker::rateProcessor()
{
    const Scheduler *const shared = m_loaded.scheduler();
    bool done = false;
    try {
        if (const std::stop_token stop = untilNextRequest();
            !stop.stop_requested() && m_running == 0 && !(shared && shared->busy())) {
            m_engine.rateProcessor(stop);
            done = true;
        }
    } catch (const std::exception &) { // a request came
    }
    emit processorRated(done);
}

void EngineWorker::reply(const ReplyJob &job, const std::stop_token &stop,
                         const std::stop_token &skip)
{
    const auto seed = static_cast<qint64>(seedOf(job.sampling));
    const auto batch = std::make_shared<Batch>(*this, job.id);
    try {
        faultPoint("worker.reply");
        if (const auto stats = runReply(job, seed, batch, stop, skip)) {
            batch->flush();
            emit replyFinished(job.id, *stats);
            keepTokens();
        }
        return;
    } catch (const ContextFull &error) {
        emit contextFull(job.id, error.shortage());
        emit replyFailed(job.id, sentence(error));
        return; // the cache is as it was
    } catch (const Error &error) {
        batch->flush();
        failReply(job.id, seed, error);
    } catch (const std::bad_alloc &) {
        batch->flush();
        emit replyFailed(job.id, outOfMemory());
    } catch (...) {
        const Error error = currentError();
        batch->flush();
        emit replyFailed(job.id, sentence(error));
    }
    // After an exception the cache may end in the middle of a pass: the next reply starts afresh.
    if (Session *const session = m_loaded.session())
        session->truncate(0);
    m_loaded.restIfChanged(); // the file may be complete again by the next reply
}

void EngineWorker::failReply(qint64 jobId, qint64 seed, const Error &error)
{
    if (error.kind() != ErrorKind::Cancelled) {
        emit replyFailed(jobId, sentence(error));
        return;
    }
    ReplyStats stats = toStats(GenerateStats(), m_loaded.model(), seed);
    stats.finish = QString::fromLatin1(toString(FinishReason::Stopped));
    emit replyFinished(jobId, stats);
}

/// For what nobody waits for: set already when a request waits.
std::stop_token EngineWorker::untilNextRequest()
{
    const std::lock_guard lock(m_mutex);
    m_quiet = std::stop_source();
    if (!m_requests.empty())
        m_quiet.request_stop();
    return m_quiet.get_token();
}

/// After a reply.
void EngineWorker::keepTokens()
{
    if (const std::stop_token stop = untilNextRequest(); !stop.stop_requested())
        m_loaded.keep(stop);
}

void EngineWorker::unload()
{
    m_loaded.unload();
    tellDesk(tr("the window's model runs elsewhere"));
}

void EngineWorker::rest()
{
    m_loaded.rest();
    emit rested();
}

void EngineWorker::sleep()
{
    if (!m_sleep.asleep())
        return; // a reply came first, paused and went on
    const Scheduler *const shared = m_loaded.scheduler();
    const bool busy = shared != nullptr && shared->busy();
    if (busy && m_loaded.usesCard())
        return compute(); // the replies pause, which is told
    const bool rests = m_loaded.usesCard();
    if (rests || m_loaded.rests())
        m_loaded.rest(false);
    emit asleep(rests);
}

void EngineWorker::countTokens(const QString &text)
{
    int tokens = -1;
    try {
        if (const LoadedModel *model = m_loaded.model())
            tokens = static_cast<int>(
                model->tokenizer().encode(MarkedText::fromUser(text.toStdString()), false).size());
    } catch (const std::exception &) {
        // A reply to it will say what is wrong.
    }
    emit tokensCounted(text, tokens);
}

void EngineWorker::countTools(const QList<ToolOffer> &each, const QList<ToolOffer> &together)
{
    QList<int> tokens;
    int all = -1;
    try {
        if (const LoadedModel *model = m_loaded.model()) {
            tokens = fireside::countTools(*model, each).each;
            all = fireside::countTools(*model, together).all;
        }
    } catch (const std::exception &) {
        // A reply with them will say what is wrong.
    }
    emit toolsCounted(tokens, all);
}

ToolPrompt EngineWorker::promptOf(const ReplyJob &job, const std::stop_token &stop)
{
    ToolPrompt prompt;
    const ThinkingChoice choice = toThinking(job.sampling);
    const TokenCounter count = [&](const QList<TurnMessage> &messages) {
        if (stop.stop_requested())
            throwCancelled();
        prompt = replyPrompt(*m_loaded.model(), messages, job.tools, choice, begunOf(job));
        return static_cast<int>(prompt.tokens.size());
    };
    const bool sameChat = m_firstSeen > 0 && m_firstSeen < job.messages.size() &&
                          job.messages[m_firstSeen].text == m_firstSeenText;
    const ContextWindow window = fitContext(job.messages, m_loaded.model()->context(),
                                            job.dropOldest, sameChat ? m_firstSeen : 0, count);
    if (window.firstSeen > 0) {
        m_firstSeen = window.firstSeen;
        m_firstSeenText = job.messages[window.firstSeen].text;
        emit contextTrimmed(job.id, window.firstSeen);
    }
    return prompt; // the window was the last one counted
}

GenerateRequest EngineWorker::requestOf(const ReplyJob &job, qint64 seed,
                                        const std::stop_token &stop)
{
    GenerateRequest request = toRequest(job.sampling, static_cast<std::uint64_t>(seed));
    request.sampler.logitBias = biasOf(job.sampling, m_loaded.model()->tokenizer());
    ToolPrompt prompt = promptOf(job, stop);
    request.prompt = std::move(prompt.tokens);
    if (job.reuse >= 0)
        request.reuse = job.reuse;
    request.inReasoning = prompt.inReasoning;
    request.inAnswer = begunOf(job).has_value();
    request.format = std::move(prompt.format);
    return request;
}

/// What it computes is not kept: the chat is, and the next reply finds it there or in the session.
void EngineWorker::answerAside(const ReplyJob &job)
{
    AsideAnswer answer;
    const std::stop_token stop = untilNextRequest();
    try {
        answer = asideOf(job, stop);
    } catch (const ContextFull &error) {
        answer.problem = sentence(error); // the cache is as it was
    } catch (...) {
        const Error error = currentError();
        if (stop.stop_requested())
            answer.kind = AsideAnswer::Interrupted;
        else
            answer.problem = sentence(error);
        if (Session *const session = m_loaded.session())
            session->truncate(0);
    }
    emit asideAnswered(job.id, answer);
}

AsideAnswer EngineWorker::asideOf(const ReplyJob &job, const std::stop_token &stop)
{
    if (m_loaded.model() == nullptr)
        throwBadInput("no model is loaded");
    const auto seed = static_cast<qint64>(seedOf(job.sampling));
    const GenerateRequest request = requestOf(job, seed, stop);
    ReplyText reply;
    GenerateEvents events;
    events.parts = [&](std::span<const ReplyDelta> deltas, const GenerateStats &) {
        for (const ReplyDelta &delta : deltas)
            reply.add(delta);
    };
    const GenerateResult result = m_loaded.reply(
        request, events, stop, [this](const Error &) { tellDevices(); }, true);
    AsideAnswer answer;
    answer.kind =
        result.finish == FinishReason::Stopped ? AsideAnswer::Interrupted
        : result.finish == FinishReason::EndOfText || result.finish == FinishReason::StopString
            ? AsideAnswer::Whole
            : AsideAnswer::CutShort;
    const QString whole = reply.takeNew();
    for (const MessagePart &part : reply.parts())
        if (part.kind == MessagePart::Text)
            answer.text += whole.mid(part.start, part.length);
    return answer;
}

GenerateEvents EngineWorker::eventsOf(const ReplyJob &job, qint64 seed,
                                      const std::shared_ptr<Batch> &batch,
                                      const std::stop_token &skip)
{
    GenerateEvents events;
    events.prompt = [this, id = job.id](int done, int total) {
        emit promptProgress(id, done, total);
    };
    events.parts = [batch, seed](std::span<const ReplyDelta> deltas, const GenerateStats &stats) {
        batch->add(deltas, stats, seed);
    };
    events.endThoughts = [skip] { return skip.stop_requested(); };
    return events;
}

std::optional<ReplyStats> EngineWorker::runReply(const ReplyJob &job, qint64 seed,
                                                 const std::shared_ptr<Batch> &batch,
                                                 const std::stop_token &stop,
                                                 const std::stop_token &skip)
{
    wakeModel(stop);
    if (m_loaded.model() == nullptr)
        throwBadInput("no model is loaded");

    const GenerateRequest request = requestOf(job, seed, stop);
    if (m_loaded.scheduler() != nullptr) {
        beginReply(job, seed, request, batch, stop, skip);
        return std::nullopt;
    }
    const auto moving = [&](const Error &) {
        batch->flush();
        tellDevices();
    };
    const GenerateResult result =
        m_loaded.reply(request, eventsOf(job, seed, batch, skip), stop, moving);
    return toStats(result, m_loaded.model(), seed);
}

} // namespace fireside
