#pragma once
#include "app/exchange/chat_tree.h"

#include <QByteArray>
#include <QStringList>

// Chats in files: Fireside's own (JSON, everything; Markdown, to read) and those of other programs.
namespace fireside {

/// The chats of a file's content: of this program, LM Studio (a conversation), Open WebUI (exported
/// chats) or ChatGPT (conversations.json). Throws ChatFileError.
QList<ChatTree> readChats(const QByteArray &json);

struct ReadChats
{
    QList<ChatTree> chats;
    QString error; // of the first file that could not be read; then there are no chats
};
/// Also a thread of Jan (its thread.json or messages.jsonl, which lie beside each other), a chat of
/// GPT4All, and the ZIP archive that ChatGPT gives out. All files or none. Any thread.
ReadChats readChatFiles(const QStringList &paths);

/// All chats, exactly: what readChats() makes of it gives the same bytes again.
QByteArray toJson(const QList<ChatTree> &chats);

/// One branch, for people.
QString toMarkdown(const QString &title, const QList<Message> &path);

/// Writes a whole file or nothing; what went wrong, or empty. Any thread.
QString writeChatFile(const QString &path, const QByteArray &content);

/// "My chat.json", without what file systems refuse.
QString chatFileName(const QString &title, const QString &suffix);

} // namespace fireside
