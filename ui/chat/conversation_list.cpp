#include "ui/chat/conversation_list.h"

#include "app/chat/chat_controller.h"
#include "app/chat/chat_namer.h"
#include "ui/chat/conversation_delegate.h"
#include "ui/chat/conversation_model.h"
#include "ui/style/icon_text_button.h"
#include "ui/style/icons.h"
#include "ui/style/text_fields.h"
#include "ui/style/theme.h"
#include "ui/transcript/found_words.h"

#include <QHBoxLayout>
#include <QInputDialog>
#include <QKeyEvent>
#include <QLabel>
#include <QListView>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace fireside {

namespace {
constexpr int kSearchDelay = 150, kUndoShown = 20000; // ms
}

ConversationList::ConversationList(ChatController &chat, QWidget *parent)
    : QWidget(parent)
    , m_chat(chat)
    , m_model(new ConversationModel(chat, this))
{
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(12, 12, 12, 8);
    column->setSpacing(10);

    auto *create = new IconTextButton(icon(IconName::NewChat), tr("New chat"));
    create->setToolTip(tr("New chat (Ctrl+N)"));
    connect(create, &QPushButton::clicked, this, &ConversationList::newChatRequested);
    column->addWidget(create);

    m_search = new LineField;
    m_search->setPlaceholderText(tr("Search all chats"));
    m_search->setAccessibleName(tr("Search all conversations"));
    m_search->addClearButton(tr("Clear the search"));
    m_search->addSearchIcon();
    m_search->installEventFilter(this);
    column->addWidget(m_search);

    m_view = new QListView;
    m_view->setProperty("role", "bare");
    m_view->setModel(m_model);
    m_delegate = new ConversationDelegate(m_view);
    m_view->setItemDelegate(m_delegate);
    m_view->setAccessibleName(tr("Conversations"));
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setMouseTracking(true);
    m_view->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_view->setEditTriggers(QAbstractItemView::EditKeyPressed);
    m_view->setContextMenuPolicy(Qt::CustomContextMenu);
    m_view->viewport()->setAutoFillBackground(false);
    m_view->installEventFilter(this);
    m_view->viewport()->installEventFilter(this);
    column->addWidget(m_view, 1);

    m_empty = new QLabel;
    m_empty->setTextFormat(Qt::PlainText);
    m_empty->setProperty("role", "muted");
    m_empty->setAlignment(Qt::AlignTop | Qt::AlignHCenter);
    m_empty->setWordWrap(true);
    column->addWidget(m_empty, 1);
    column->addWidget(buildUndoBar());

    m_searchDelay.setSingleShot(true);
    m_searchDelay.setInterval(kSearchDelay);
    connect(m_search, &QLineEdit::textChanged, this, [this] { m_searchDelay.start(); });
    connect(&m_searchDelay, &QTimer::timeout, this, &ConversationList::search);
    connect(m_view, &QListView::clicked, this, &ConversationList::open);
    connect(m_view, &QListView::activated, this, &ConversationList::open);
    connect(m_view, &QListView::customContextMenuRequested, this, &ConversationList::showMenu);
    connect(&m_chat, &ChatController::conversationsChanged, this, &ConversationList::reload);
    connect(&m_chat, &ChatController::conversationOpened, this, &ConversationList::selectCurrent);
    connect(&m_chat, &ChatController::queuedChanged, m_model, &ConversationModel::showQueued);
    connect(&m_chat, &ChatController::conversationsDeleted, this, &ConversationList::offerUndo);
    reload();
}

QWidget *ConversationList::buildUndoBar()
{
    m_undoBar = new QFrame;
    m_undoBar->setProperty("role", "card");
    auto *row = new QHBoxLayout(m_undoBar);
    row->setContentsMargins(12, 4, 4, 4);
    m_undoText = new QLabel;
    m_undoText->setTextFormat(Qt::PlainText);
    m_undoText->setWordWrap(true);
    auto *undo = new QPushButton(tr("Undo"));
    undo->setProperty("role", "quiet");
    undo->setAccessibleName(tr("Undo the deletion"));
    row->addWidget(m_undoText, 1);
    row->addWidget(undo);
    m_undoBar->hide();
    m_undoTimer.setSingleShot(true);
    m_undoTimer.setInterval(kUndoShown);
    connect(&m_undoTimer, &QTimer::timeout, m_undoBar, &QWidget::hide);
    connect(undo, &QPushButton::clicked, this, &ConversationList::undoDelete);
    return m_undoBar;
}

void ConversationList::undoDelete()
{
    m_undoBar->hide();
    emit undoAvailable(false);
    m_chat.undoDelete();
}

void ConversationList::focusSearch()
{
    m_search->setFocus(Qt::ShortcutFocusReason);
    m_search->selectAll();
}

void ConversationList::reload()
{
    m_model->reload(m_search->text().trimmed());
    const bool none = m_model->rowCount() == 0;
    m_view->setVisible(!none);
    m_empty->setVisible(none);
    m_empty->setText(m_model->search().isEmpty()
                         ? tr("Your conversations will be listed here.")
                         : tr("Nothing found for “%1”.").arg(m_model->search()));
    selectCurrent();
}

void ConversationList::search()
{
    m_searchDelay.stop();
    m_delegate->setSearch(m_search->text());
    reload();
    if (m_model->search().isEmpty())
        emit found({}, 0);
}

/// Enter in the search field. False: nothing is searched, or nothing found.
bool ConversationList::openFirstHit()
{
    if (m_searchDelay.isActive())
        search();
    if (m_model->search().isEmpty())
        return false;
    for (int row = 0; row < m_model->rowCount(); ++row) {
        const QModelIndex index = m_model->index(row);
        if (index.data(ConversationModel::HeaderRole).toBool())
            continue;
        choose(index);
        open(index);
        return true;
    }
    return false;
}

void ConversationList::setClosedFolders(const QStringList &folders)
{
    m_model->setClosed(folders);
    selectCurrent();
}

void ConversationList::selectCurrent()
{
    const int row = m_model->rowOf(m_chat.currentConversation());
    choose(row >= 0 ? m_model->index(row) : QModelIndex());
}

/// It alone, whatever keys are held: those of a shortcut would choose it besides others.
void ConversationList::choose(const QModelIndex &index)
{
    m_view->selectionModel()->setCurrentIndex(index, QItemSelectionModel::ClearAndSelect);
}

void ConversationList::open(const QModelIndex &index)
{
    if (index.data(ConversationModel::HeaderRole).toBool()) {
        m_model->toggle(index.data(ConversationModel::FolderRole).toString());
        emit closedFoldersChanged(m_model->closed());
        return selectCurrent();
    }
    if (!m_view->selectionModel()->isSelected(index) || chosen().size() > 1)
        return; // with Ctrl or Shift: more are being chosen
    const qint64 id = index.data(ConversationModel::IdRole).toLongLong();
    const qint64 match = index.data(ConversationModel::MatchRole).toLongLong();
    if (id != 0 && (id != m_chat.currentConversation() || match != 0))
        m_chat.openConversation(id, match);
    emit found(searchWords(m_model->search()), match);
    emit opened();
}

void ConversationList::renameCurrent()
{
    if (const QModelIndex index = m_view->currentIndex(); index.isValid()) {
        m_view->setFocus();
        m_view->edit(index);
    }
}

void ConversationList::removeCurrent()
{
    m_chat.deleteConversations({m_chat.currentConversation()});
}

QList<qint64> ConversationList::chosen() const
{
    QList<qint64> ids;
    for (const QModelIndex &index : m_view->selectionModel()->selectedRows())
        ids.append(index.data(ConversationModel::IdRole).toLongLong());
    return ids;
}

void ConversationList::removeChosen()
{
    m_chat.deleteConversations(chosen());
}

void ConversationList::offerUndo(const QString &title, int count)
{
    const QString name = title.isEmpty() ? tr("New conversation") : title.simplified();
    const QString shown = m_undoText->fontMetrics().elidedText(name, Qt::ElideRight, 120);
    m_undoText->setText(count == 1 ? tr("Deleted “%1”").arg(shown)
                                   : tr("Deleted %1 chats").arg(count));
    m_undoBar->setAccessibleName(count == 1 ? tr("Deleted “%1”").arg(name) : m_undoText->text());
    m_undoBar->show();
    m_undoTimer.start();
    emit undoAvailable(true);
}

void ConversationList::showMenu(const QPoint &point)
{
    const QModelIndex index = m_view->indexAt(point);
    if (!index.isValid())
        return;
    if (index.data(ConversationModel::HeaderRole).toBool())
        return showFolderMenu(index, point);
    if (!m_view->selectionModel()->isSelected(index))
        m_view->setCurrentIndex(index);
    const qsizetype count = chosen().size();
    const QPersistentModelIndex row = index;
    const QModelIndexList rows = m_view->selectionModel()->selectedRows();
    const bool pinned = std::all_of(rows.begin(), rows.end(), [](const QModelIndex &one) {
        return one.data(ConversationModel::PinnedRole).toBool();
    });
    const qint64 id = index.data(ConversationModel::IdRole).toLongLong();
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    // The row is highlighted for the menu alone, unless that began to edit its name.
    connect(
        menu, &QMenu::aboutToHide, this,
        [this] {
            if (chosen().size() <= 1 && !m_view->findChild<QLineEdit *>())
                selectCurrent();
        },
        Qt::QueuedConnection); // what was chosen in it comes first
    menu->addAction(icon(IconName::Pin), pinned ? tr("Unpin") : tr("Pin"), this,
                    [this, ids = chosen(), pinned] {
                        for (const qint64 one : ids)
                            m_chat.setPinned(one, !pinned);
                    });
    menu->addAction(icon(IconName::Rename), tr("Rename"), this, [this, row] {
        m_view->setFocus();
        m_view->edit(row);
    });
    menu->addAction(icon(IconName::Flame), tr("Let the model name it"), this,
                    [this, id] { m_chat.namer().nameAgain(id); })
        ->setEnabled(m_chat.canSend());
    menu->addAction(icon(IconName::Copy), tr("Duplicate"), this,
                    [this, id] { m_chat.duplicateConversation(id); });
    QMenu *folders = folderMenu(chosen());
    folders->setParent(menu, folders->windowFlags());
    menu->addMenu(folders);
    menu->addSeparator();
    menu->addAction(icon(IconName::Delete, IconTint::Error),
                    count > 1 ? tr("Delete %1 chats").arg(count) : tr("Delete"), this,
                    &ConversationList::removeChosen);
    if (count > 1) {
        for (QAction *action : menu->actions().mid(1, 3))
            action->setEnabled(false);
    }
    menu->popup(m_view->viewport()->mapToGlobal(point));
}

QMenu *ConversationList::folderMenu(const QList<qint64> &ids)
{
    auto *menu = new QMenu(tr("Move to folder"));
    menu->setIcon(icon(IconName::Folder));
    for (const QString &folder : m_chat.folders()) {
        QString shown = folder;
        menu->addAction(shown.replace(QLatin1Char('&'), QLatin1String("&&")), this,
                        [this, ids, folder] { m_chat.moveToFolder(ids, folder); });
    }
    if (!menu->isEmpty())
        menu->addSeparator();
    menu->addAction(tr("New folder…"), this, [this, ids] {
        askForName(tr("New folder"), {},
                   [this, ids](const QString &name) { m_chat.moveToFolder(ids, name); });
    });
    menu->addAction(tr("No folder"), this, [this, ids] { m_chat.moveToFolder(ids, {}); });
    return menu;
}

void ConversationList::showFolderMenu(const QModelIndex &index, const QPoint &point)
{
    const QString folder = index.data(ConversationModel::FolderRole).toString();
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(icon(IconName::Rename), tr("Rename the folder…"), this, [this, folder] {
        askForName(tr("Rename the folder"), folder,
                   [this, folder](const QString &name) { m_chat.renameFolder(folder, name); });
    });
    menu->addAction(icon(IconName::Close), tr("Dissolve the folder"), this,
                    [this, folder] { m_chat.renameFolder(folder, {}); });
    menu->popup(m_view->viewport()->mapToGlobal(point));
}

void ConversationList::askForName(const QString &title, const QString &name,
                                  const std::function<void(const QString &)> &use)
{
    auto *dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(title);
    dialog->setLabelText(tr("Name of the folder:"));
    dialog->setTextValue(name);
    connect(dialog, &QInputDialog::textValueSelected, this, [use](const QString &text) {
        if (!text.trimmed().isEmpty())
            use(text);
    });
    dialog->open();
}

/// A press on the "⋯" of a row opens its menu instead of the chat.
bool ConversationList::pressedMenu(QPoint point)
{
    const QModelIndex index = m_view->indexAt(point);
    if (!index.isValid() ||
        !ConversationDelegate::menuRect(m_view->visualRect(index), m_view->layoutDirection())
             .contains(point))
        return false;
    showMenu(point);
    return true;
}

bool ConversationList::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::MouseButtonPress && watched == m_view->viewport()) {
        const auto *mouse = static_cast<QMouseEvent *>(event);
        return mouse->button() == Qt::LeftButton && pressedMenu(mouse->pos());
    }
    if (event->type() == QEvent::KeyPress) {
        const auto *press = static_cast<QKeyEvent *>(event);
        const int key = press->key();
        if (watched == m_view && key == Qt::Key_Delete &&
            !(press->modifiers() & ~Qt::KeypadModifier)) {
            removeChosen();
            return true;
        }
        const bool enter = key == Qt::Key_Return || key == Qt::Key_Enter;
        if (watched == m_search && enter && openFirstHit())
            return true;
        if (watched == m_search && (key == Qt::Key_Down || enter) && m_model->rowCount() > 0) {
            m_view->setFocus();
            if (!m_view->currentIndex().isValid())
                m_view->setCurrentIndex(m_model->index(0));
            return true;
        }
        if (watched == m_search && key == Qt::Key_Escape && !m_search->text().isEmpty()) {
            m_search->clear();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void ConversationList::paintEvent(QPaintEvent *)
{
    QPainter(this).fillRect(rect(), Theme::current().sunken);
}

} // namespace fireside
