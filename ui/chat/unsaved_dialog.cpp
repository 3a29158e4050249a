#include "ui/chat/unsaved_dialog.h"

#include "app/chat/chat_controller.h"
#include "app/exchange/chat_file.h"
#include "app/settings/app_settings.h"

#include <QDateTime>
#include <QDialogButtonBox>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QStyle>
#include <QVBoxLayout>

#include <algorithm>
#include <cerrno>

namespace fireside {
namespace {

constexpr int kTextWidth = 460, kMaxRows = 8; // px; of the list

QLabel *wrappedText(const QString &text)
{
    auto *label = new QLabel(text);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setMinimumWidth(kTextWidth);
    return label;
}

/// "Fireside chats 2026-11-28 12-00.json", or with a number where that is taken.
QString freePath(const QString &folder, const QString &stem)
{
    QString path = folder + u'/' + chatFileName(stem, QStringLiteral("json"));
    for (int i = 2; QFile::exists(path); ++i)
        path = folder + u'/' +
               chatFileName(QStringLiteral("%1 (%2)").arg(stem).arg(i), QStringLiteral("json"));
    return path;
}

} // namespace

UnsavedDialog::UnsavedDialog(ChatController &chat, AppSettings &settings, QWidget *parent)
    : QDialog(parent)
    , m_chat(chat)
    , m_settings(settings)
{
    setObjectName(QStringLiteral("unsavedDialog"));
    setWindowTitle(tr("Not saved"));
    auto *column = new QVBoxLayout(this);
    column->setSpacing(10);
    column->addWidget(
        wrappedText(tr("The disk can't be written, so these are only in memory. If you "
                       "quit now, they are lost:")));
    m_names = new QListWidget;
    m_names->setAccessibleName(tr("Not saved"));
    m_names->setSelectionMode(QAbstractItemView::NoSelection);
    column->addWidget(m_names);
    column->addWidget(wrappedText(
        tr("Saved in another folder, the chats can be opened with File → Import chats.")));
    m_problem = wrappedText({});
    m_problem->setProperty("role", "warning");
    m_problem->hide();
    column->addWidget(m_problem);

    auto *buttons = new QDialogButtonBox;
    QPushButton *save = buttons->addButton(tr("Save to folder…"), QDialogButtonBox::AcceptRole);
    QPushButton *lose =
        buttons->addButton(tr("Quit without saving"), QDialogButtonBox::DestructiveRole);
    buttons->addButton(QDialogButtonBox::Cancel);
    save->setProperty("role", "primary");
    save->setDefault(true);
    lose->setProperty("role", "danger");
    column->addWidget(buttons);
    connect(save, &QPushButton::clicked, this, &UnsavedDialog::chooseFolder);
    connect(lose, &QPushButton::clicked, this, [this] {
        close();
        emit quitChosen();
    });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    // There is room again: nothing is left to ask for.
    connect(&m_chat, &ChatController::storageProblem, this, [this](const QString &problem) {
        if (!problem.isEmpty() || !isVisible() || isNeeded(m_chat, m_settings))
            return;
        close();
        emit quitChosen();
    });
    showNames();
}

bool UnsavedDialog::isNeeded(ChatController &chat, AppSettings &settings)
{
    const bool chats = !chat.unsavedChats().isEmpty();
    return !settings.unsaved().isEmpty() || chats;
}

void UnsavedDialog::showNames()
{
    m_names->clear();
    for (const ChatTree &chat : m_chat.unsavedChats()) {
        const QString title = chat.title.simplified();
        const bool draft = chat.messages.isEmpty();
        m_names->addItem(draft             ? tr("Unsent message “%1”").arg(title)
                         : title.isEmpty() ? tr("New conversation")
                                           : title);
    }
    m_names->addItems(m_settings.unsaved());
    const int rows = std::clamp(m_names->count(), 1, kMaxRows);
    m_names->setFixedHeight(rows * std::max(m_names->sizeHintForRow(0), fontMetrics().height()) +
                            2 * m_names->frameWidth() + 4);
}

void UnsavedDialog::chooseFolder()
{
    auto *dialog = new QFileDialog(this, tr("Save to folder"), QDir::homePath());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    connect(dialog, &QFileDialog::fileSelected, this, &UnsavedDialog::saveTo);
    dialog->open();
}

void UnsavedDialog::saveTo(const QString &folder)
{
    const QList<ChatTree> chats = m_chat.unsavedChats();
    // An unplugged disk's folder must not be created on the system's disk.
    QString problem = QFileInfo(folder).isDir() ? QString() : qt_error_string(ENOENT);
    if (problem.isEmpty() && !chats.isEmpty()) {
        const QString when =
            QDateTime::currentDateTime().toString(QStringLiteral("yyyy-MM-dd HH-mm"));
        problem = writeChatFile(freePath(folder, tr("Fireside chats %1").arg(when)), toJson(chats));
    }
    if (problem.isEmpty() && !m_settings.unsaved().isEmpty())
        problem = m_settings.writeCopies(folder);
    if (problem.isEmpty()) {
        close();
        emit quitChosen();
        return;
    }
    m_problem->setText(tr("“%1” could not be written: %2").arg(folder, problem));
    m_problem->show();
    showNames();
}

} // namespace fireside
