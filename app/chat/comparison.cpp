#include "app/chat/comparison.h"

#include "app/chat/chat_namer.h"
#include "app/runtime/engine_text.h"

#include <algorithm>
#include <utility>

namespace fireside {

Comparison::Comparison(ChatController &first, EngineService &firstEngine, Connections &connections,
                       std::unique_ptr<EngineService> engine, QObject *parent)
    : QObject(parent)
    , m_first(first)
    , m_firstEngine(firstEngine)
    , m_servers(connections)
    , m_engine(std::move(engine))
    , m_second(first.beside(*m_engine))
{
    m_engine->setElsewhere(&m_servers);
    m_second->setFollowing(false); // it has a branch of its own
    m_second->namer().setOn(false);
    useSampling();
    follow();
    connectFirst();
    connectSecond();
    m_engine->start();
}

Comparison::~Comparison()
{
    m_second->blockSignals(true);
    m_engine->shutdown(); // its last words are stored
}

void Comparison::connectFirst()
{
    // Later, when the first has asked for its own reply.
    connect(&m_first, &ChatController::messageAdded, this, &Comparison::look, Qt::QueuedConnection);
    connect(&m_first, &ChatController::conversationOpened, this, &Comparison::follow);
    connect(&m_first, &ChatController::replyingChanged, this, &Comparison::next,
            Qt::QueuedConnection);
    connect(&m_first, &ChatController::samplingChanged, this, &Comparison::useSampling);
    connect(&m_firstEngine, &EngineService::loaded, this, [this] {
        if (!m_path.isEmpty())
            load(m_path, m_settings); // beside another one now
    });
    connect(&m_firstEngine, &EngineService::rested, this, [this] {
        m_makingRoom = false;
        next();
    });
}

void Comparison::connectSecond()
{
    connect(m_engine.get(), &EngineService::stateChanged, this, &Comparison::next,
            Qt::QueuedConnection);
    connect(m_engine.get(), &EngineService::loaded, this, [this](const ModelStatus &model) {
        if (!m_looking) { // perhaps the former one, after another could not be loaded
            m_path = model.path;
            m_settings = model.asked;
        }
        useSampling();
    });
    connect(m_engine.get(), &EngineService::reasonChanged, this, [this](const ModelStatus &model) {
        if (model.isElsewhere())
            m_path = model.path; // its server may run another one now
    });
    connect(m_engine.get(), &EngineService::loadFailed, this,
            [this](const QString &, const QString &message, bool cancelled) {
                skipSecond(cancelled ? QString() : message);
                emit changed();
            });
    connect(m_engine.get(), &EngineService::rested, this, [this] {
        m_makingRoom = false;
        emit changed();
    });
    connect(m_second.get(), &ChatController::replyingChanged, this, [this](bool replying) {
        if (!replying)
            afterSecond();
        emit changed();
    });
}

/// As the first's are, but for what the first's model recommends.
void Comparison::useSampling()
{
    SamplingLayers layers;
    if (m_engine->hasModel())
        layers.push_back({SamplingSource::Model, m_engine->model().name.toStdString(),
                          m_engine->model().recommended});
    for (const auto &layer : m_first.samplingBase())
        if (layer.source != SamplingSource::Model)
            layers.push_back(layer);
    m_second->setSamplingBase(layers);
    if (m_second->currentConversation() == m_first.currentConversation())
        m_second->setSamplingChoice(m_first.samplingChoice());
    emit changed();
}

/// The chat that the first shows.
void Comparison::follow()
{
    const qint64 id = m_first.currentConversation();
    if (id == m_conversation && id == m_second->currentConversation())
        return;
    m_conversation = id;
    m_asked.reset();
    if (m_second->replying())
        m_second->stop();
    if (id == 0)
        m_second->newConversation();
    else
        m_second->openConversation(id);
    emit changed();
}

void Comparison::load(const QString &path, const LoadSettings &settings)
{
    m_path = path;
    m_settings = settings;
    m_short.clear();
    const quint64 look = ++m_looks;
    const bool both = !m_servers.owns(path) && m_firstEngine.hasModel() &&
                      !m_firstEngine.model().isElsewhere() && !m_firstEngine.devices().isEmpty();
    if (!both) {
        m_engine->loadModel(path, settings);
        emit changed();
        return;
    }
    m_looking = true;
    emit changed();
    const ModelStatus beside = m_firstEngine.model();
    m_engine->previewBeside(path, settings, m_firstEngine.devices(), beside)
        .then(this, [this, look, path, settings](const PlacementStatus &place) {
            if (look != m_looks)
                return;
            m_looking = false;
            if (!place.possible)
                m_short = place.reason;
            else if (!m_engine->hasModel() || m_engine->model().path != path ||
                     m_engine->model().asked != settings)
                m_engine->loadModel(path, settings);
            emit changed();
            next();
        });
}

QString Comparison::turnsReason() const
{
    if (!m_short.isEmpty())
        return tr("Both models do not fit into memory together (%1): each is loaded when it is its "
                  "turn.")
            .arg(engineText(m_short));
    if (!m_firstEngine.hasModel() || !m_engine->hasModel())
        return {};
    return turnsReason(m_firstEngine.model(), m_engine->model());
}

QString Comparison::turnsReason(const ModelStatus &one, const ModelStatus &other)
{
    if (one.isElsewhere() || other.isElsewhere() || one.device != other.device)
        return {};
    return tr("Both models run on %1: they answer one after the other, so that neither slows the "
              "other down.")
        .arg(one.device);
}

/// A question to the first is one to the second.
void Comparison::look(int index)
{
    const QList<Message> &messages = m_first.messages();
    if (index < 0 || index >= messages.size() || m_path.isEmpty())
        return;
    const Message &message = messages[index];
    if (message.role != QLatin1String("user"))
        return;
    m_conversation = m_first.currentConversation();
    m_asked = Asked{message.id, message.parentId, message.text};
    emit changed();
    next();
}

void Comparison::next()
{
    if (!m_asked || m_looking || m_makingRoom || m_second->replying())
        return;
    if (!turnsReason().isEmpty() && m_first.replying())
        return;
    if (!m_short.isEmpty() && !m_firstEngine.resting())
        return makeRoom(m_firstEngine);
    if (!m_engine->hasModel() || m_engine->model().path != m_path) {
        if (m_engine->state() == EngineState::NoModel)
            m_engine->loadModel(m_path, m_settings);
        return;
    }
    if (m_second->canSend())
        askSecond();
}

void Comparison::askSecond()
{
    const Asked asked = *std::exchange(m_asked, std::nullopt);
    if (isShared(asked))
        m_second->answer(m_conversation, asked.message);
    else
        m_second->send(asked.text); // behind its own reply
    emit changed();
}

/// What precedes the question is in the second's path, too.
bool Comparison::isShared(const Asked &asked) const
{
    const QList<Message> &path = m_second->messages();
    return asked.parent == 0 || std::any_of(path.begin(), path.end(), [&](const Message &message) {
               return message.id == asked.parent;
           });
}

/// The question stays in the second's path: its next answer is to have it before it.
void Comparison::skipSecond(const QString &problem)
{
    if (!m_asked)
        return;
    const Asked asked = *std::exchange(m_asked, std::nullopt);
    if (isShared(asked))
        m_second->skipAnswer(m_conversation, asked.message, problem);
    else
        m_second->sendUnanswered(asked.text, problem);
}

void Comparison::afterSecond()
{
    if (!m_short.isEmpty())
        makeRoom(*m_engine);
}

void Comparison::makeRoom(EngineService &engine)
{
    if (!engine.hasModel() || engine.resting())
        return;
    m_makingRoom = true;
    // Not within the signal of a reply's end: others have to hear of that first.
    QMetaObject::invokeMethod(&engine, &EngineService::unload, Qt::QueuedConnection);
    emit changed();
}

void Comparison::stop()
{
    skipSecond({});
    if (m_first.replying())
        m_first.stop();
    if (m_second->replying())
        m_second->stop();
    emit changed();
}

void Comparison::keepFirst()
{
    m_first.keepBranch();
}

std::optional<ModelStatus> Comparison::keepSecond()
{
    if (m_second->messages().isEmpty() || m_second->currentConversation() == 0)
        return std::nullopt;
    m_second->keepBranch();
    m_first.openConversation(m_second->currentConversation());
    return m_engine->hasModel() ? std::optional(m_engine->model()) : std::nullopt;
}

} // namespace fireside
