#include "ui/chat/chat_files.h"

#include "app/chat/chat_controller.h"
#include "app/exchange/chat_file.h"
#include "app/runtime/contained.h"
#include "app/runtime/engine_text.h"
#include "ui/chat/chat_pdf.h"
#include "ui/chat/notice_bar.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QFuture>
#include <QMimeData>
#include <QPrintDialog>
#include <QPrinter>
#include <QStandardPaths>
#include <QUrl>

#include <algorithm>
#include <utility>

namespace fireside {

namespace {

const QString kImportTopic = QStringLiteral("import"), kExportTopic = QStringLiteral("export"),
              kPrintTopic = QStringLiteral("print");

int messagesIn(const QList<ImportedChats::Update> &updates)
{
    int messages = 0;
    for (const ImportedChats::Update &update : updates)
        messages += static_cast<int>(update.messages.size());
    return messages;
}

QString documentsFolder()
{
    return QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
}

} // namespace

ChatFiles::ChatFiles(ChatController &chat, NoticeBar &notices, QWidget *window)
    : QObject(window)
    , m_chat(chat)
    , m_notices(notices)
    , m_window(window)
{
    connect(&m_chat, &ChatController::chatsImported, this, &ChatFiles::showImported);
}

QStringList ChatFiles::dragged(const QMimeData *data)
{
    QStringList paths;
    for (const QUrl &url : data ? data->urls() : QList<QUrl>()) {
        const QString path = url.toLocalFile(), suffix = QFileInfo(path).suffix().toLower();
        static const QStringList known{QStringLiteral("json"), QStringLiteral("jsonl"),
                                       QStringLiteral("chat"), QStringLiteral("zip")};
        if (!known.contains(suffix))
            return {};
        paths += path;
    }
    return paths;
}

void ChatFiles::chooseImport()
{
    auto *dialog = new QFileDialog(m_window, tr("Import chats"), documentsFolder());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFiles);
    dialog->setNameFilters({tr("Chats of Fireside, LM Studio, Jan, Open WebUI, ChatGPT or GPT4All "
                               "(*.json *.jsonl *.zip *.chat)"),
                            tr("All files (*)")});
    connect(dialog, &QFileDialog::filesSelected, this, &ChatFiles::import);
    dialog->open();
}

void ChatFiles::import(const QStringList &paths)
{
    m_notices.show(kImportTopic, NoticeBar::Kind::Info, tr("Reading chats…"));
    inBackground(
        "chats.import", [paths] { return readChatFiles(paths); },
        [](const QString &problem) {
            return ReadChats{{}, {}, problem};
        })
        .then(this, [this](const ReadChats &read) {
            if (read.error.isEmpty())
                takeOver(read);
            else
                m_notices.show(kImportTopic, NoticeBar::Kind::Error, read.error);
        });
}

/// What the files hold and cannot be taken over is said with what was.
void ChatFiles::takeOver(const ReadChats &read)
{
    constexpr qsizetype kMaxNamed = 20;
    int files = 0, messages = 0;
    for (const ChatTree &chat : read.chats) {
        files += chat.lostFiles;
        messages += chat.lostMessages;
    }
    m_notImported.clear();
    if (files > 0)
        m_notImported += tr("Pictures and other files that were not imported: %1.").arg(files);
    if (messages > 0)
        m_notImported += tr("Messages without text that were not imported: %1.").arg(messages);
    for (const QString &problem : read.problems.mid(0, kMaxNamed))
        m_notImported += withFullStop(problem);
    if (read.problems.size() > kMaxNamed)
        m_notImported +=
            tr("Further chats that were not imported: %1.").arg(read.problems.size() - kMaxNamed);
    m_chat.importChats(read.chats);
}

void ChatFiles::showImported(const ImportedChats &imported)
{
    if (imported.refused)
        return m_notices.show(kImportTopic, NoticeBar::Kind::Error,
                              tr("The chats could not be stored."));
    QStringList said;
    const int updates = static_cast<int>(imported.updated.size());
    if (!imported.added.isEmpty() || (imported.known == 0 && updates == 0))
        said += tr("Chats imported: %1 (messages: %2).")
                    .arg(imported.added.size())
                    .arg(imported.messages - messagesIn(imported.updated));
    if (updates > 0)
        said += tr("Chats updated: %1 (new messages: %2).")
                    .arg(updates)
                    .arg(messagesIn(imported.updated));
    if (imported.known > 0)
        said += tr("Chats already here: %1.").arg(imported.known);
    const bool undoable = !imported.added.isEmpty() || updates > 0;
    const auto kind = m_notImported.isEmpty() ? NoticeBar::Kind::Info : NoticeBar::Kind::Warning;
    said += std::exchange(m_notImported, {});
    m_notices.show(kImportTopic, kind, said.join(QLatin1Char(' ')),
                   undoable ? tr("Undo the import") : QString(), [this] { m_chat.undoImport(); });
}

void ChatFiles::chooseExport(const QString &title, const QString &name, const QStringList &filters,
                             const std::function<void(const QString &)> &write)
{
    auto *dialog = new QFileDialog(m_window, title, documentsFolder());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters(filters);
    const auto useSuffix = [dialog](const QString &filter) {
        dialog->setDefaultSuffix(filter.section(QLatin1String("*."), 1).section(u')', 0, 0));
    };
    useSuffix(filters.first());
    connect(dialog, &QFileDialog::filterSelected, dialog, useSuffix);
    connect(dialog, &QFileDialog::fileSelected, this, write);
    dialog->selectFile(name);
    dialog->open();
}

void ChatFiles::exportCurrent()
{
    chooseExport(
        tr("Export this chat"),
        QFileInfo(chatFileName(m_chat.currentTitle(), "md")).completeBaseName(),
        {tr("Markdown (*.md)"), tr("Everything, for importing again (*.json)"), tr("PDF (*.pdf)")},
        [this](const QString &path) { writeCurrent(path); });
}

void ChatFiles::exportAll()
{
    chooseExport(tr("Export all chats"), tr("Chats"),
                 {tr("Everything, for importing again (*.json)")},
                 [this](const QString &path) { writeAll(path); });
}

void ChatFiles::writeCurrent(const QString &path)
{
    const QString suffix = QFileInfo(path).suffix().toLower(), title = m_chat.currentTitle();
    if (suffix == QLatin1String("json")) {
        const std::optional<ChatTree> tree = m_chat.conversationTree(m_chat.currentConversation());
        if (tree)
            write(path, [tree] { return Content{toJson({*tree})}; });
        return;
    }
    const QList<Message> messages = m_chat.messages();
    if (suffix != QLatin1String("pdf"))
        return write(path, [=] { return Content{toMarkdown(title, messages).toUtf8()}; });
    write(path, [=] {
        Content content;
        const PrintedChat printed = toPdf(chatBlocks(title, messages), title, content.bytes);
        content.complete = printed.complete;
        content.missing = printed.missing;
        return content;
    });
}

void ChatFiles::writeAll(const QString &path)
{
    QList<ChatTree> trees;
    for (const ConversationSummary &chat : m_chat.conversations()) {
        if (const std::optional<ChatTree> tree = m_chat.conversationTree(chat.id))
            trees += *tree;
    }
    std::reverse(trees.begin(), trees.end()); // imported in the order they were made
    write(path, [trees] { return Content{toJson(trees)}; });
}

void ChatFiles::print()
{
    const auto printer = std::make_shared<QPrinter>(QPrinter::HighResolution);
    printer->setDocName(m_chat.currentTitle());
    auto *dialog = new QPrintDialog(printer.get(), m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Print this chat"));
    dialog->setOptions(QAbstractPrintDialog::PrintToFile | QAbstractPrintDialog::PrintPageRange |
                       QAbstractPrintDialog::PrintCollateCopies);
    connect(dialog, &QDialog::accepted, this, [this, printer] { printOn(printer); });
    connect(dialog, &QObject::destroyed, this, [printer] {}); // it uses the printer until then
    dialog->open();
}

void ChatFiles::printOn(const std::shared_ptr<QPrinter> &printer)
{
    const QList<ChatBlock> blocks = chatBlocks(m_chat.currentTitle(), m_chat.messages());
    const auto failed = [this] {
        m_notices.show(kPrintTopic, NoticeBar::Kind::Error, tr("The chat could not be printed."));
    };
    m_notices.show(kPrintTopic, NoticeBar::Kind::Info, tr("Printing…"));
    inBackground(
        "chats.print",
        [printer, blocks] {
            PrintedChat printed = printPages(blocks, *printer);
            const auto state = printer->printerState();
            const QString file = printer->outputFileName();
            printed.complete = printed.complete && state != QPrinter::Error &&
                               state != QPrinter::Aborted &&
                               (file.isEmpty() || isCompletePdf(file));
            return printed;
        },
        [](const QString &) { return PrintedChat{}; })
        .then(this, [this, failed](const PrintedChat &printed) {
            if (!printed.complete)
                return failed();
            m_notices.show(kPrintTopic, NoticeBar::Kind::Info,
                           tr("The chat was printed.") + remarkOn(printed.missing));
        });
}

/// A sentence for the end of a notice, or nothing.
QString ChatFiles::remarkOn(const QString &missing) const
{
    constexpr qsizetype kShown = 20;
    if (missing.isEmpty())
        return {};
    QString some = missing.left(kShown);
    if (some.back().isHighSurrogate())
        some.chop(1);
    return QLatin1Char(' ') + tr("No installed font has these characters: %1")
                                  .arg(missing.size() > kShown ? some + QChar(0x2026) : some);
}

void ChatFiles::write(const QString &path, const std::function<Content()> &content)
{
    const auto failed = [this, path](const QString &problem) {
        m_notices.show(
            kExportTopic, NoticeBar::Kind::Error,
            tr("“%1” could not be written: %2").arg(QFileInfo(path).fileName(), problem));
    };
    const auto run = [path, content] {
        const Content made = content();
        return std::pair(made.complete ? writeChatFile(path, made.bytes)
                                       : tr("not all pages could be rendered"),
                         made.missing);
    };
    inBackground("chats.export", run, [](const QString &problem) {
        return std::pair(problem, QString());
    }).then(this, [this, path, failed](const std::pair<QString, QString> &result) {
        if (!result.first.isEmpty())
            return failed(result.first);
        m_notices.show(kExportTopic, NoticeBar::Kind::Info,
                       tr("Written to “%1”.").arg(path) + remarkOn(result.second));
    });
}

} // namespace fireside
