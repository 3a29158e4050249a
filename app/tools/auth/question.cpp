#include "app/tools/auth/question.h"

#include "app/tools/auth/metadata.h"

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
        answer({200, *body, {}});
    });
    QObject::connect(exchange, &HttpExchange::failed, exchange,
                     [answer](const ExchangeFailure &failure) {
                         if (failure.kind == ExchangeFailure::Kind::Status)
                             answer({failure.status, failure.body, {}});
                         else
                             answer({0, {}, failure.text});
                     });
    exchange->start();
}

} // namespace fireside::auth
