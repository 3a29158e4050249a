#pragma once
#include <QByteArray>
#include <QList>
#include <QMetaType>
#include <QString>

namespace fireside {

/// Something that a model can call, of a server or of the program's own.
struct Tool
{
    QString server; // its key in mcp.json, or kBuiltIn
    QString name;   // as its server calls it
    QString title = {}, description = {};
    QByteArray parameters = {}; // a JSON schema of an object
    /// Of everything that decides what it does as far as one can see: where this changes, what was
    /// allowed has to be asked for again.
    QByteArray fingerprint = {};

    QString id() const { return server + QLatin1Char('/') + name; }
    bool operator==(const Tool &) const = default;
};

inline constexpr QLatin1String kBuiltIn("built-in");

/// What became of a call.
struct ToolResult
{
    enum Kind {
        Done,
        ToolError, // it ran and says what is wrong
        Failed,    // it could not be run, or gave no answer
        Stopped,   // by the user
        Refused,   // by the user, or by a limit
    };
    Kind kind = Done;
    QString text;     // what it gave, or a sentence that says why there is nothing
    qint64 whole = 0; // characters, where `text` is only the beginning; 0: it is all
    bool operator==(const ToolResult &) const = default;
};

} // namespace fireside

Q_DECLARE_METATYPE(fireside::Tool)
Q_DECLARE_METATYPE(fireside::ToolResult)
