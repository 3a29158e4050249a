#pragma once
#include "app/remote/remote_server.h"
#include "app/runtime/engine_types.h"

#include <QJsonObject>
#include <QSet>
#include <QStringList>

namespace fireside {

/// A request of /chat/completions.
struct ChatBody
{
    QJsonObject json;
    QStringList left; // settings that the server is not told, as they are called
};

/// What may be left out of a request although it is asked for: parameters that the server has
/// refused. "max_completion_tokens" in it: that name is to be used.
using RefusedParameters = QSet<QString>;

/// seed: of this reply. Beyond the interface's own parameters, servers are told what their kind is
/// known to take.
ChatBody chatBody(const ReplyJob &job, const QString &model, ServerKind kind, qint64 seed,
                  const RefusedParameters &refused);
/// Whether answers that were begun can go on there.
bool canContinueAnswers(ServerKind kind);
/// What thinking can be told to the models of such a server.
ThinkingOffer offerOf(ServerKind kind);

} // namespace fireside
