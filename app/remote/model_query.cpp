#include "app/remote/model_query.h"

#include "app/network/http_exchange.h"
#include "app/network/network_gate.h"
#include "app/remote/remote_texts.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>
#include <utility>

namespace fireside {
namespace {

constexpr qsizetype kMostModels = 2000;
constexpr qsizetype kLongestName = 300;

int tokensIn(const QJsonValue &value)
{
    return static_cast<int>(std::clamp(value.toDouble(), 0.0, 1e9));
}

/// As vLLM and SGLang, this program, OpenRouter, Groq, Mistral, and llama.cpp say it.
int contextIn(const QJsonObject &model)
{
    for (const char *key : {"max_model_len", "context_length", "loaded_context_length",
                            "context_window", "max_context_length"})
        if (const int tokens = tokensIn(model[QLatin1String(key)]); tokens > 0)
            return tokens;
    return tokensIn(model[QLatin1String("meta")][QLatin1String("n_ctx")]);
}

ServerKind kindIn(const QJsonObject &model)
{
    const QString owner = model[QLatin1String("owned_by")].toString();
    if (owner == QLatin1String("vllm"))
        return ServerKind::Vllm;
    if (owner == QLatin1String("sglang"))
        return ServerKind::Sglang;
    if (owner == QLatin1String("llamacpp"))
        return ServerKind::LlamaCpp;
    if (owner == QLatin1String("organization_owner"))
        return ServerKind::LmStudio;
    if (owner == QLatin1String("library"))
        return ServerKind::Ollama;
    if (owner == QLatin1String("fireside"))
        return ServerKind::Fireside;
    return ServerKind::Unknown;
}

} // namespace

const OfferedModel *ModelListing::find(const QString &model) const
{
    const auto found = std::find_if(models.cbegin(), models.cend(),
                                    [&](const OfferedModel &one) { return one.name == model; });
    return found == models.cend() ? nullptr : &*found;
}

QString ModelListing::lacks(const QString &host) const
{
    QStringList names;
    for (const OfferedModel &one : models)
        names.append(one.name);
    return RemoteTexts::tr("%1 has no such model; it has: %2")
        .arg(host, names.isEmpty() ? RemoteTexts::tr("none")
                                   : foreignWords(names.join(QLatin1String(", "))));
}

ModelListing listingIn(const QJsonObject &json)
{
    ModelListing listing;
    QJsonArray list = json[QLatin1String("data")].toArray();
    for (const QJsonValue &each : list) {
        const QJsonObject model = each.toObject();
        OfferedModel one;
        one.name = model[QLatin1String("id")].toString();
        const bool usable =
            !one.name.isEmpty() && one.name.size() <= kLongestName &&
            std::all_of(one.name.begin(), one.name.end(), [](QChar c) { return c.isPrint(); });
        if (!usable || model[QLatin1String("type")] == QLatin1String("embeddings") ||
            listing.models.size() >= kMostModels)
            continue;
        one.context = contextIn(model);
        one.kind = kindIn(model);
        if (one.kind != ServerKind::Unknown)
            listing.kind = one.kind;
        listing.models.append(one);
    }
    for (OfferedModel &model : listing.models)
        model.kind = listing.kind;
    return listing;
}

ModelQuery::ModelQuery(NetworkGate &gate, RemoteServer server, QByteArray key, QObject *parent)
    : QObject(parent)
    , m_gate(gate)
    , m_server(std::move(server))
    , m_key(std::move(key))
{}

ModelQuery::~ModelQuery()
{
    cancel();
}

void ModelQuery::cancel()
{
    if (m_exchange) {
        disconnect(m_exchange.get(), nullptr, this, nullptr);
        m_exchange->cancel();
        m_exchange.release()->deleteLater(); // it may be what is calling
    }
}

void ModelQuery::ask(const QUrl &url, Answer answer,
                     std::function<void(const ExchangeFailure &)> failed)
{
    ExchangeRequest request;
    request.url = url;
    request.purpose = tr("models of %1").arg(m_server.host());
    request.headers = m_server.headers;
    if (!m_key.isEmpty())
        request.headers.append({"Authorization", "Bearer " + m_key});
    request.firstPatience = request.patience = m_patience;
    m_body.clear();
    cancel();
    m_exchange = std::make_unique<HttpExchange>(m_gate, request);
    connect(m_exchange.get(), &HttpExchange::dataArrived, this,
            [this](const QByteArray &data) { m_body += data; });
    connect(m_exchange.get(), &HttpExchange::failed, this, failed);
    connect(m_exchange.get(), &HttpExchange::finished, this, [this, answer = std::move(answer)] {
        answer(QJsonDocument::fromJson(m_body).object());
    });
    m_exchange->start();
}

void ModelQuery::start()
{
    ask(
        endpointOf(m_server.address, QStringLiteral("models")),
        [this](const QJsonObject &json) {
            if (!json[QLatin1String("data")].isArray()) {
                m_listing.problem = withWords(
                    tr("%1 does not answer as OpenAI's interface does").arg(m_server.host()),
                    wordsOf(m_body.left(20'000)));
                return end();
            }
            m_listing = listingIn(json);
            if (m_server.host().endsWith(QLatin1String("openrouter.ai")))
                m_listing.kind = ServerKind::OpenRouter;
            askForContexts();
        },
        [this](const ExchangeFailure &failure) {
            // Some have no list, but models.
            const bool noList = failure.status == 404 || failure.status == 405;
            const RemoteProblem problem = problemOf(failure, m_server.host(), {}, !m_key.isEmpty());
            if (!noList || m_server.models.isEmpty()) {
                m_listing.problem = problem.text;
                m_listing.unreachable = problem.unreachable;
            }
            end();
        });
}

void ModelQuery::askForContexts()
{
    const char *path = nullptr;
    if (m_listing.kind == ServerKind::LmStudio)
        path = "/api/v0/models";
    else if (m_listing.kind == ServerKind::LlamaCpp)
        path = "/props";
    else if (m_listing.kind == ServerKind::Ollama)
        path = "/api/ps"; // of what is loaded
    if (!path)
        return end();
    ask(
        rootOf(m_server.address, QLatin1String(path)),
        [this](const QJsonObject &json) {
            addContexts(json);
            end();
        },
        [this](const ExchangeFailure &) { end(); }); // older ones do not tell
}

void ModelQuery::addContexts(const QJsonObject &json)
{
    const QJsonValue props =
        json[QLatin1String("default_generation_settings")][QLatin1String("n_ctx")];
    if (m_listing.kind == ServerKind::LlamaCpp && m_listing.models.size() == 1) {
        OfferedModel &model = m_listing.models.first();
        if (const int tokens = tokensIn(props); tokens > 0)
            model.context = tokens;
        model.parallel = tokensIn(json[QLatin1String("total_slots")]);
        return;
    }
    QJsonArray told = json[QLatin1String("data")].toArray();
    if (told.isEmpty())
        told = json[QLatin1String("models")].toArray();
    for (const QJsonValue &value : std::as_const(told)) {
        const QJsonObject one = value.toObject();
        const QString id = one[QLatin1String("id")].toString(),
                      name = one[QLatin1String("name")].toString();
        const bool embeds = one[QLatin1String("type")] == QLatin1String("embeddings");
        for (OfferedModel &model : m_listing.models)
            if (model.name == id || model.name == name)
                model.context = embeds ? -1 : contextIn(one);
    }
    m_listing.models.removeIf([](const OfferedModel &model) { return model.context < 0; });
}

void ModelQuery::end()
{
    for (const QString &name : m_server.models) {
        if (!m_listing.find(name))
            m_listing.models.append({name, 0, m_listing.kind});
    }
    for (OfferedModel &model : m_listing.models)
        model.kind = m_listing.kind;
    emit finished(m_listing);
}

} // namespace fireside
