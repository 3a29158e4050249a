#pragma once
#include "app/remote/sampling_parameters.h"
#include "app/runtime/engine_types.h"

#include <QJsonObject>
#include <QStringList>

namespace fireside {

/// A request of /chat/completions.
struct ChatBody
{
    QJsonObject json;
    QStringList unsent; // keys of settings that are on and that the server is not sent
};

/// seed: of this reply. Beyond the interface's own parameters, servers are told what their kind is
/// known to take.
ChatBody chatBody(const ReplyJob &job, const QString &model, ServerKind kind, qint64 seed,
                  const RefusedParameters &refused);
/// Whether answers that were begun can go on there.
bool canContinueAnswers(ServerKind kind);
/// What thinking can be told to the models of such a server.
ThinkingOffer offerOf(ServerKind kind);

} // namespace fireside
