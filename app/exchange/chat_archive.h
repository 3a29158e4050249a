#pragma once
#include <QByteArray>
#include <QList>
#include <QString>

namespace fireside::formats {

/// Whether a file's first bytes are those of a ZIP archive.
bool isArchive(const QByteArray &head);
/// One file of an archive that holds a list of chats.
struct ArchivedChats
{
    QString name;
    QByteArray json;
    QString problem; // why it cannot be unpacked; empty: it was
};

/// The lists of chats in the archive that ChatGPT gives out, each as JSON: conversations.json, or
/// its numbered parts. They may have `limit` bytes together, whatever the archive says of their
/// sizes. Throws ChatFileError when none can be unpacked.
QList<ArchivedChats> chatsInArchive(const QString &path, qint64 limit);

} // namespace fireside::formats
