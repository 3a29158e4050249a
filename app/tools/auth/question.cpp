#include "app/tools/auth/question.h"

#include "app/tools/auth/metadata.h"
#include "app/tools/auth/proofs.h"

#include <QDateTime>

#include <memory>
#include <utility>

namespace fireside::auth {

ExchangeRequest formRequest(const QUrl &endpoint, const QString &purpose, const TokenRequest &form)
{
    ExchangeRequest request;
    request.url = endpoint;
    request.purpose = purpose;
    request.post = true;
    request.body = form.body;
    request.contentType = "application/x-www-form-urlencoded";
    if (!form.authorization.isEmpty())
        request.headers.append({"Authorization", form.authorization});
    return request;
}

void ask(NetworkGate &gate, ExchangeRequest request, QObject *owner,
         std::function<void(const Reply &)> answered)
{
    request.mostBytes = kLargestAnswer;
    auto *const exchange = new HttpExchange(gate, std::move(request), owner);
    const auto body = std::make_shared<QByteArray>();
    const auto answer = [exchange, answered = std::move(answered)](const Reply &reply) {
        exchange->deleteLater();
        const auto tell = answered; // the owner may go meanwhile, and the exchange with it
        tell(reply);
    };
    QObject::connect(exchange, &HttpExchange::dataArrived, exchange,
                     [body](const QByteArray &data) { *body += data; });
    QObject::connect(exchange, &HttpExchange::finished, exchange, [body, answer] {
        answer({200, *body, {}, {}});
    });
    QObject::connect(exchange, &HttpExchange::failed, exchange,
                     [answer](const ExchangeFailure &failure) {
                         if (failure.kind == ExchangeFailure::Kind::Status)
                             answer({failure.status, failure.body, failure.nonce, {}});
                         else
                             answer({0, {}, {}, failure.text});
                     });
    exchange->start();
}

void ask(NetworkGate &gate, const TokenQuestion &question, QObject *owner,
         const std::function<void(const Reply &)> &answered, const QByteArray &nonce)
{
    const auto &[server, form, client, key, purpose] = question;
    ExchangeRequest request =
        formRequest(server.token, purpose, tokenRequest(form, client, server));
    if (key)
        request.headers.append({"DPoP", proofOf(*key, "POST", server.token, {}, nonce,
                                                QDateTime::currentSecsSinceEpoch())});
    ask(gate, request, owner, [&gate, question, owner, answered, nonce](const Reply &reply) {
        const bool again = question.key && nonce.isEmpty() && !reply.nonce.isEmpty() &&
                           readRefusal(reply.body).error == QLatin1String("use_dpop_nonce");
        if (again)
            ask(gate, question, owner, answered, reply.nonce);
        else
            answered(reply);
    });
}

} // namespace fireside::auth
