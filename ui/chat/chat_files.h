#pragma once
#include <QObject>
#include <QStringList>

#include <functional>
#include <memory>

class QMimeData;
class QPrinter;
class QWidget;

namespace fireside {

class ChatController;
class NoticeBar;
struct ImportedChats;
struct ReadChats;

/// Chats go into files and come from them: the dialogs, and the notices of what became of it. Files
/// are read and written on other threads.
class ChatFiles : public QObject
{
    Q_OBJECT
public:
    ChatFiles(ChatController &chat, NoticeBar &notices, QWidget *window);

    /// The files that are being dragged, when all of them may hold chats.
    static QStringList dragged(const QMimeData *data);

public slots:
    void chooseImport();
    void import(const QStringList &paths);
    void exportCurrent(); // Markdown, JSON or PDF, as the name says
    void exportAll();     // JSON
    void print();         // the branch in view, as it would be a PDF

private:
    void chooseExport(const QString &title, const QString &name, const QStringList &filters,
                      const std::function<void(const QString &)> &write);
    void writeCurrent(const QString &path);
    void writeAll(const QString &path);
    /// What a file is to hold, and what is to be said about it.
    struct Content
    {
        QByteArray bytes;
        bool complete = true;
        QString missing = {}; // characters without a font
    };
    void write(const QString &path, const std::function<Content()> &content);
    QString remarkOn(const QString &missing) const;
    void printOn(const std::shared_ptr<QPrinter> &printer);
    void takeOver(const ReadChats &read);
    void showImported(const ImportedChats &imported);

    ChatController &m_chat;
    NoticeBar &m_notices;
    QWidget *m_window;
    QStringList m_notImported; // sentences, of the last import
};

} // namespace fireside
