#pragma once
#include "app/runtime/engine_types.h"
#include "engine/engine.h"

// The engine's answers as the plain values that the window shows.
namespace fireside {

DeviceStatus toStatus(const DeviceReport &report);
/// The way back, as far as choosing a device goes: without the checks and the properties.
DeviceReport toReport(const DeviceStatus &status);
ModelStatus toStatus(const LoadedModel &model, const LoadSettings &asked, double loadSeconds);
/// model: the one that replies, or null.
ReplyStats toStats(const GenerateStats &stats, const LoadedModel *model, qint64 seed);

/// The file's path leads every message of the engine about it; where it stands beside already it
/// goes.
QString withoutPath(const QString &message, const QString &path);

std::vector<ChatMessage> toMessages(const QList<TurnMessage> &messages);

} // namespace fireside
