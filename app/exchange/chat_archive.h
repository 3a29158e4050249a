#pragma once
#include <QByteArray>
#include <QString>

namespace fireside::formats {

/// Whether a file's first bytes are those of a ZIP archive.
bool isArchive(const QByteArray &head);
/// The lists of chats in the archive that ChatGPT gives out, each as JSON: conversations.json, or
/// its numbered parts. They may have `limit` bytes together, whatever the archive says of their
/// sizes. Throws ChatFileError.
QList<QByteArray> chatsInArchive(const QString &path, qint64 limit);

} // namespace fireside::formats
