#pragma once
#include "app/exchange/chat_tree.h"

#include <QByteArray>
#include <QStringList>

// Chats in files: Fireside's own (JSON, everything; Markdown, to read) and those of other programs.
namespace fireside {

/// The chats of a file's content: of this program, LM Studio (a conversation), Open WebUI (exported
/// chats) or ChatGPT (conversations.json). A chat that cannot be read is left out, with a sentence
/// in `problems`; throws ChatFileError when no chat can be read.
QList<ChatTree> readChats(const QByteArray &json, QStringList *problems = nullptr);

struct ReadChats
{
    QList<ChatTree> chats;
    QStringList problems; // a sentence for each file or chat that could not be read
    QString error;        // the first of them, when no chat could be read
};
/// Also a thread of Jan (its thread.json or messages.jsonl, which lie beside each other), a chat of
/// GPT4All, and the ZIP archive that ChatGPT gives out. What can be read is. Any thread.
ReadChats readChatFiles(const QStringList &paths);

/// All chats, exactly: what readChats() makes of it gives the same bytes again.
QByteArray toJson(const QList<ChatTree> &chats);

/// A piece of a chat for people: Markdown, or what a person typed, which is text as it is.
struct ChatBlock
{
    QString text;
    bool typed = false;
    bool operator==(const ChatBlock &) const = default;
};
/// One branch, for people.
QList<ChatBlock> chatBlocks(const QString &title, const QList<Message> &path);
/// The same as one text.
QString toMarkdown(const QString &title, const QList<Message> &path);

/// Writes a whole file or nothing; what went wrong, or empty. Any thread.
QString writeChatFile(const QString &path, const QByteArray &content);

/// Whether a printer wrote a PDF file to its end, which Qt does not say. Any thread.
bool isCompletePdf(const QString &path);

/// "My chat.json", without what file systems refuse.
QString chatFileName(const QString &title, const QString &suffix);

} // namespace fireside
