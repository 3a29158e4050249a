#pragma once
#include "app/network/http_exchange.h"

#include <QByteArray>
#include <QJsonObject>
#include <QString>

#include <chrono>

namespace fireside {

/// Why a server gives no answer, or none that is whole.
struct RemoteProblem
{
    QString text{};               // a clause that names the server
    bool unreachable = false;     // nobody answers, or the server is not able to
    bool again = false;           // the same may succeed a little later
    bool noAnswer = false;        // there was not even a refusal
    bool busy = false;            // it answers others at present (HTTP 429, 503)
    bool modelMissing = false;    // the server has no model of that name
    std::chrono::seconds wait{0}; // what the server asks for before
    // Of a refusal:
    QString parameter{};      // that the server does not take
    int tokens = 0, room = 0; // of a prompt that is too long, where the server tells
    bool tooLong = false;
    bool wantsCompletionTokens = false; // max_completion_tokens in place of max_tokens
};

/// From what HTTP says. host: how the server is called; model: what was asked for.
RemoteProblem problemOf(const ExchangeFailure &failure, const QString &host, const QString &model,
                        bool withKey);
/// From an error in JSON, of a refusal or in the middle of a stream. The text is the server's own
/// words; empty: there are none.
RemoteProblem problemInJson(const QJsonObject &json);
/// Words in a body that is JSON, HTML or plain text; empty: none.
QString wordsOf(const QByteArray &body);
/// The sentence with the words behind it, where there are any.
QString withWords(const QString &sentence, const QString &words);

} // namespace fireside
