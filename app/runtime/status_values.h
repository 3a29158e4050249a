#pragma once
#include "app/runtime/engine_types.h"
#include "engine/engine.h"

// The engine's answers as the plain values that the window shows.
namespace fireside {

DeviceStatus toStatus(const DeviceReport &report);
/// The way back, as far as choosing a device goes: without the checks.
DeviceReport toReport(const DeviceStatus &status);
/// Those of all devices, with the RAM of this moment.
std::vector<DeviceReport> reportsNow(const QList<DeviceStatus> &devices);
QList<PlacementOptionStatus> toStatus(const Selection &selection);
PlacementStatus toStatus(const Engine::Choice &choice);
ModelStatus toStatus(const LoadedModel &model, const LoadSettings &asked, double loadSeconds);
/// model: the one that replies, or null.
ReplyStats toStats(const GenerateStats &stats, const LoadedModel *model, qint64 seed);
ReplyStats toStats(const GenerateResult &result, const LoadedModel *model, qint64 seed); // its end

/// The file's path leads most messages of the engine about it; where it stands beside already it
/// goes, and elsewhere only the file's name stays.
QString withoutPath(const QString &message, const QString &path);

std::vector<ChatMessage> toMessages(const QList<TurnMessage> &messages);

} // namespace fireside
