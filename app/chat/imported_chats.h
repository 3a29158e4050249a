#pragma once
#include <QList>
#include <QMetaType>

namespace fireside {

/// What became of chats that were imported: what is needed to report and to undo it.
struct ImportedChats
{
    struct Update
    {
        qint64 conversation = 0;
        qint64 leafBefore = 0;
        QList<qint64> messages; // that were added to it
    };
    QList<qint64> added;   // new conversations
    QList<Update> updated; // were here already, with fewer messages
    int known = 0;         // were here already, with all of their messages
    int messages = 0;      // that were added
    bool refused = false;  // nothing could be stored
};

} // namespace fireside
