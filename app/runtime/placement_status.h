#pragma once
#include <QList>
#include <QMetaType>
#include <QString>
#include <QStringList>

// Where a model runs, or would run, as plain values for the window.
namespace fireside {

/// Tokens a second; 0: not known.
struct SpeedStatus
{
    double generate = 0, prompt = 0;
    bool operator==(const SpeedStatus &) const = default;
};

/// One way to run a model.
struct PlacementOptionStatus
{
    QString name = {};     // "NVIDIA H200"
    QString sentence = {}; // the name, and why it was taken or not, with numbers
    SpeedStatus predicted = {}, measured = {};
    bool chosen = false;
    bool possible = false; // else the sentence says why not
    bool operator==(const PlacementOptionStatus &) const = default;
};

/// Every way to run a model, and which one is taken.
struct PlacementStatus
{
    QString model;  // as it is called
    QString reason; // one sentence: where it would run and why, or why it cannot
    bool possible = false;
    QList<PlacementOptionStatus> options;
    int context = 0, contextTrained = 0; // tokens; 0: not known
    bool operator==(const PlacementStatus &) const = default;
};

/// What a model takes on a device.
struct DeviceUseStatus
{
    struct Share
    {
        QString purpose;               // "weights", "context", "states", "scratch", "other"
        qint64 planned = 0, taken = 0; // bytes, with a full context and now
    };
    QString id = {}, name = {};
    QList<Share> shares = {};
    qint64 driver = -1; // bytes that the driver counts for this program; -1: it does not say
};

/// What came of measuring a model wherever there is room for it.
struct MeasureStatus
{
    QString path = {};
    bool stopped = false;
    QString problem = {};      // why nothing could be measured; empty: it could
    QStringList problems = {}; // of single placements, a sentence each
    QString reason = {};       // what Automatic does from now on, and why
};

} // namespace fireside

Q_DECLARE_METATYPE(fireside::PlacementStatus)
Q_DECLARE_METATYPE(fireside::MeasureStatus)
