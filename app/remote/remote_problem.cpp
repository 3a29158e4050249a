#include "app/remote/remote_problem.h"

#include "app/remote/remote_texts.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QLocale>
#include <QRegularExpression>

#include <algorithm>
#include <array>

namespace fireside {
namespace {

using Kind = ExchangeFailure::Kind;

int number(const QJsonValue &value)
{
    return static_cast<int>(std::clamp(value.toDouble(), 0.0, 1e9));
}

/// Of {"error": {…}}, {"error": "…"}, {"object": "error", …} and {"detail": …}.
QJsonObject errorIn(const QJsonObject &json)
{
    const QJsonValue error = json[QLatin1String("error")];
    if (error.isObject())
        return error.toObject();
    if (error.isString())
        return {{QStringLiteral("message"), error}};
    if (json.contains(QLatin1String("message")))
        return json;
    QJsonValue detail = json[QLatin1String("detail")];
    if (detail.isArray())
        detail = detail[0][QLatin1String("msg")];
    return detail.isString() ? QJsonObject{{QStringLiteral("message"), detail}} : QJsonObject();
}

/// The two numbers that servers write into their sentences.
void readNumbers(const QString &message, RemoteProblem &problem)
{
    static const auto kAnyCase = QRegularExpression::CaseInsensitiveOption;
    static const std::array rooms{
        QRegularExpression(
            QStringLiteral("(?:maximum (?:context|model|sequence) length (?:is|of)|context "
                           "(?:size|window|length)?(?: \\(| of | is )(?:only )?|the context|n_ctx"
                           "[ =:]+)\\s*\\(?(\\d{2,9})"),
            kAnyCase),
        QRegularExpression(QStringLiteral("(\\d{2,9}) maximum context"), kAnyCase),
        QRegularExpression(QStringLiteral("tokens allowed \\((\\d{2,9})\\)"), kAnyCase),
        QRegularExpression(QStringLiteral("> (\\d{2,9}) maximum"), kAnyCase),
        QRegularExpression(QStringLiteral("must be <= (\\d{2,9})"), kAnyCase),
    };
    static const std::array tokens{
        QRegularExpression(QStringLiteral("\\((\\d{1,9}) in the messages")),
        QRegularExpression(QStringLiteral("has (\\d{1,9}) input tokens")),
        QRegularExpression(QStringLiteral("passed (\\d{1,9}) input tokens")),
        QRegularExpression(QStringLiteral("resulted in (\\d{1,9}) tokens")),
        QRegularExpression(QStringLiteral("requested (\\d{1,9}) tokens")),
        QRegularExpression(QStringLiteral("token count \\((\\d{1,9})\\)")),
        QRegularExpression(QStringLiteral("\\(length (\\d{1,9})\\)")),
        QRegularExpression(QStringLiteral("(\\d{1,9}) (?:`inputs` )?tokens")),
    };
    for (const QRegularExpression &form : rooms)
        if (const auto match = form.match(message); match.hasMatch() && problem.room == 0)
            problem.room = match.captured(1).toInt();
    for (const QRegularExpression &form : tokens) {
        auto matches = form.globalMatch(message);
        while (matches.hasNext() && problem.tokens == 0) {
            const int count = matches.next().captured(1).toInt();
            problem.tokens = count == problem.room ? 0 : count;
        }
        if (problem.tokens > 0)
            break;
    }
}

bool speaksOfContext(const QString &message, const QString &code)
{
    static const QRegularExpression words(
        QStringLiteral("context (?:length|size|window)|maximum (?:model|sequence) length|"
                       "prompt is too long|too many (?:input )?tokens|longer than the maximum|"
                       "maximum number of tokens allowed|too large for model|"
                       "context the overflows|`max_new_tokens` must be|"
                       "reduce the length of the (?:messages|prompt|input)"),
        QRegularExpression::CaseInsensitiveOption);
    return code.contains(QLatin1String("context")) || words.match(message).hasMatch();
}

QString pageTitle(const QByteArray &body)
{
    static const QRegularExpression form(QStringLiteral("<(title|h1)[^>]*>([^<]{1,200})<"),
                                         QRegularExpression::CaseInsensitiveOption);
    const auto match = form.match(QString::fromUtf8(body));
    return match.hasMatch()
               ? RemoteTexts::tr("a web page, “%1”").arg(foreignWords(match.captured(2), 80))
               : RemoteTexts::tr("a web page");
}

QString waitText(std::chrono::seconds wait)
{
    return wait.count() < 120 ? RemoteTexts::tr("%1 s").arg(wait.count())
                              : RemoteTexts::tr("%1 min").arg((wait.count() + 59) / 60);
}

QString deniedText(int status, const QString &host, bool withKey, const QString &words)
{
    if (status == 401)
        return withWords(withKey
                             ? RemoteTexts::tr("%1 does not accept the key (HTTP 401)").arg(host)
                             : RemoteTexts::tr("%1 wants a key (HTTP 401)").arg(host),
                         words);
    return withWords(RemoteTexts::tr("%1 does not allow it (HTTP 403)").arg(host), words);
}

bool namesModel(const QString &model, const QString &words)
{
    return !model.isEmpty() && words.contains(QLatin1String("model"), Qt::CaseInsensitive);
}

QString missingText(const QString &host, const QString &model, const QString &words)
{
    return withWords(namesModel(model, words)
                         ? RemoteTexts::tr("%1 has no model “%2” (HTTP 404)").arg(host, model)
                         : RemoteTexts::tr("%1 has no such address (HTTP 404); most servers are "
                                           "found at an address that ends in /v1")
                               .arg(host),
                     words);
}

void describeStatus(const ExchangeFailure &failure, const QString &host, const QString &model,
                    bool withKey, RemoteProblem &problem)
{
    const QString words = problem.text;
    const int status = failure.status;
    switch (status) {
    case 401:
    case 403:
        problem.text = deniedText(status, host, withKey, words);
        return;
    case 404:
    case 405:
        problem.modelMissing = namesModel(model, words);
        problem.text = missingText(host, model, words);
        return;
    case 429: {
        const bool paid = words.contains(QLatin1String("quota"), Qt::CaseInsensitive) ||
                          words.contains(QLatin1String("billing"), Qt::CaseInsensitive);
        problem.again = problem.busy = !paid;
        problem.wait = failure.retryAfter;
        problem.text =
            withWords(paid ? RemoteTexts::tr("the account at %1 is used up (HTTP 429)").arg(host)
                      : problem.wait.count() > 0
                          ? RemoteTexts::tr("%1 wants fewer requests, and none for %2 (HTTP 429)")
                                .arg(host, waitText(problem.wait))
                          : RemoteTexts::tr("%1 wants fewer requests (HTTP 429)").arg(host),
                      words);
        return;
    }
    case 408:
    case 502:
    case 503:
    case 504:
        problem.unreachable = problem.again = true;
        problem.busy = status == 503;
        problem.wait = failure.retryAfter;
        problem.text = withWords(
            RemoteTexts::tr("%1 cannot answer at present (HTTP %2)").arg(host).arg(status), words);
        return;
    default:
        break;
    }
    // llama.cpp's server refuses pictures for a model that sees none with 500: asking again, or
    // another computer, would be of no use.
    const bool failed = status >= 500 && !words.contains(QLatin1String("image input is not"));
    problem.again = problem.unreachable = failed;
    problem.text = withWords(
        failed ? RemoteTexts::tr("%1 has failed (HTTP %2)").arg(host).arg(status)
               : RemoteTexts::tr("%1 refuses the request (HTTP %2)").arg(host).arg(status),
        words);
}

} // namespace

RemoteProblem problemInJson(const QJsonObject &json)
{
    RemoteProblem problem;
    const QJsonObject error = errorIn(json);
    const QString message = error[QLatin1String("message")].toString();
    const QString code = error[QLatin1String("code")].toString(),
                  type = error[QLatin1String("type")].toString();
    problem.text = foreignWords(message.isEmpty() ? (code.isEmpty() ? type : code) : message);
    problem.parameter = error[QLatin1String("param")].toString();
    problem.tooLong = speaksOfContext(message, code.isEmpty() ? type : code);
    if (problem.tooLong) {
        readNumbers(message, problem);
        // llama.cpp says them in members of their own.
        if (const int tokens = number(error[QLatin1String("n_prompt_tokens")]); tokens > 0)
            problem.tokens = tokens;
        if (const int room = number(error[QLatin1String("n_ctx")]); room > 0)
            problem.room = room;
    }
    problem.wantsCompletionTokens = message.contains(QLatin1String("max_completion_tokens")) &&
                                    message.contains(QLatin1String("max_tokens")) &&
                                    !problem.tooLong;
    return problem;
}

QString withWords(const QString &sentence, const QString &words)
{
    return words.isEmpty() ? sentence : RemoteTexts::tr("%1: %2").arg(sentence, words);
}

QString wordsOf(const QByteArray &body)
{
    const QByteArray text = body.trimmed();
    if (text.startsWith('<'))
        return pageTitle(text.left(16 << 10));
    const QJsonDocument json = QJsonDocument::fromJson(text);
    return json.isObject() ? problemInJson(json.object()).text
                           : foreignWords(QString::fromUtf8(text.left(2000)));
}

RemoteProblem problemOf(const ExchangeFailure &failure, const QString &host, const QString &model,
                        bool withKey)
{
    RemoteProblem problem;
    if (failure.kind == Kind::Status) {
        const QJsonDocument json = QJsonDocument::fromJson(failure.body);
        if (json.isObject())
            problem = problemInJson(json.object());
        else
            problem.text = wordsOf(failure.body);
        describeStatus(failure, host, model, withKey, problem);
        return problem;
    }
    problem.text = failure.text;
    problem.unreachable = failure.kind == Kind::Unreachable || failure.kind == Kind::TimedOut ||
                          failure.kind == Kind::Offline;
    problem.again = problem.noAnswer = failure.kind == Kind::Unreachable;
    return problem;
}

} // namespace fireside
