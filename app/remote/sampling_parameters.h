#pragma once
#include "app/remote/remote_server.h"
#include "app/settings/sampling_settings.h"

#include <QJsonObject>
#include <QSet>
#include <QStringList>

namespace fireside {

/// Request parameters that a server has refused. With "max_completion_tokens" in it that name is
/// used instead of "max_tokens".
using RefusedParameters = QSet<QString>;

/// Sampling settings as parameters of a request to one kind of server. Samplers that are off are
/// sent with the value that turns them off: without it the server's own default would act.
struct SamplingParameters
{
    QJsonObject json;
    QStringList unsent; // keys of settings that are on and that the server cannot be sent
};

SamplingParameters samplingParameters(const SamplingSettings &sampling, ServerKind kind,
                                      qint64 seed, const RefusedParameters &refused);
/// A parameter that a request may go without, if the server refuses it.
bool isOptionalParameter(const QString &name);

} // namespace fireside
