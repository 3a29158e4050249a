#include "ui/tools/tools_page.h"

#include "app/runtime/engine_text.h"
#include "app/tools/auth/authorizer.h"
#include "app/tools/tool_box.h"
#include "ui/backend/number_text.h"
#include "ui/style/direction.h"
#include "ui/tools/server_dialog.h"
#include "ui/tools/server_texts.h"

#include <QDir>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QListWidget>
#include <QMessageBox>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace fireside {
namespace {

constexpr int kServerName = Qt::UserRole;
constexpr qsizetype kLinesShown = 8;

} // namespace

ToolsPage::ToolsPage(ToolBox &tools, QWidget *parent)
    : QWidget(parent)
    , m_tools(tools)
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    addFolder(layout);
    addServers(layout);
    addPermissions(layout);
    connect(&m_tools, &ToolBox::serversChanged, this, &ToolsPage::showAll);
    connect(&m_tools, &ToolBox::memoryChanged, this, &ToolsPage::showAll);
    showAll();
}

QLabel *ToolsPage::text(const char *role, const char *name)
{
    auto *label = new QLabel(this);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setProperty("role", role);
    label->setObjectName(QLatin1String(name));
    layout()->addWidget(label);
    return label;
}

QPushButton *ToolsPage::button(const QString &text, const char *name)
{
    auto *made = new QPushButton(text, this);
    made->setObjectName(QLatin1String(name));
    made->setAutoDefault(false);
    return made;
}

void ToolsPage::addFolder(QVBoxLayout *layout)
{
    text("heading")->setText(tr("Files for the built-in tools"));
    text("muted")->setText(tr("Beside a calculator and a calendar the program can list, read and "
                              "search the files of one folder, and nothing outside of it."));
    m_folder = text("", "toolsFolder");
    auto *row = new QHBoxLayout;
    QPushButton *const choose = button(tr("&Choose a folder…"), "toolsChooseFolder");
    m_noFolder = button(tr("&No folder"), "toolsNoFolder");
    row->addWidget(choose);
    row->addWidget(m_noFolder);
    row->addStretch(1);
    layout->addLayout(row);
    layout->addSpacing(8);
    connect(choose, &QPushButton::clicked, this, &ToolsPage::chooseFolder);
    connect(m_noFolder, &QPushButton::clicked, this,
            [this] { complain(m_tools.setFolder(QString())); });
}

void ToolsPage::addServers(QVBoxLayout *layout)
{
    text("heading")->setText(tr("Tool servers (MCP)"));
    text("muted")->setText(tr("Programs or addresses that offer tools. They are kept in %1, in the "
                              "form that other programs use, too.")
                               .arg(pathText(m_tools.configPath())));
    m_problem = text("error", "toolsProblem");
    m_servers = new QListWidget(this);
    m_servers->setObjectName(QStringLiteral("toolServers"));
    m_servers->setAccessibleName(tr("Tool servers"));
    m_servers->setFixedHeight(5 * (fontMetrics().height() + 8));
    layout->addWidget(m_servers);
    auto *row = new QHBoxLayout;
    QPushButton *const add = button(tr("A&dd…"), "toolsAdd");
    m_edit = button(tr("&Edit…"), "toolsEdit");
    m_remove = button(tr("Re&move"), "toolsRemove");
    m_restart = button(tr("&Start again"), "toolsRestart");
    for (QPushButton *one : {add, m_edit, m_remove, m_restart})
        row->addWidget(one);
    row->addStretch(1);
    layout->addLayout(row);
    m_state = text("", "toolServerState");
    m_account = text("muted", "toolServerAccount");
    auto *account = new QHBoxLayout;
    m_signIn = button(QString(), "toolsSignIn");
    m_signOut = button(tr("Sign &out"), "toolsSignOut");
    account->addWidget(m_signIn);
    account->addWidget(m_signOut);
    account->addStretch(1);
    layout->addLayout(account);
    m_list = new QTreeWidget(this);
    m_list->setObjectName(QStringLiteral("toolServerTools"));
    m_list->setAccessibleName(tr("Tools of the server"));
    m_list->setHeaderLabels({tr("Tool"), tr("What it does")});
    m_list->setRootIsDecorated(false);
    m_list->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    m_list->setMinimumHeight(7 * (fontMetrics().height() + 6));
    layout->addWidget(m_list, 1);
    m_lines = text("muted", "toolServerLines");
    m_lines->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    layout->addSpacing(8);

    connect(add, &QPushButton::clicked, this, [this] { edit(QString()); });
    connect(m_edit, &QPushButton::clicked, this, [this] {
        if (const McpServer *server = current())
            edit(server->config().name);
    });
    connect(m_remove, &QPushButton::clicked, this, &ToolsPage::removeCurrent);
    connect(m_restart, &QPushButton::clicked, this, [this] {
        if (const McpServer *server = current())
            m_tools.restartServer(server->config().name);
    });
    connect(m_signIn, &QPushButton::clicked, this, [this] {
        if (const McpServer *server = current())
            m_tools.signIn(server->config().name);
    });
    connect(m_signOut, &QPushButton::clicked, this, [this] {
        if (const McpServer *server = current())
            m_tools.signOut(server->config().name);
    });
    connect(m_servers, &QListWidget::currentRowChanged, this, &ToolsPage::showServer);
    connect(m_servers, &QListWidget::itemActivated, this,
            [this](QListWidgetItem *item) { edit(item->data(kServerName).toString()); });
    connect(m_servers, &QListWidget::itemChanged, this, [this](QListWidgetItem *item) {
        if (!m_showing) // it is made anew, which must not happen below it
            QMetaObject::invokeMethod(
                this,
                [this, name = item->data(kServerName).toString(),
                 on = item->checkState() == Qt::Checked] {
                    complain(m_tools.enableServer(name, on));
                },
                Qt::QueuedConnection);
    });
}

void ToolsPage::addPermissions(QVBoxLayout *layout)
{
    text("heading")->setText(tr("Permissions"));
    m_allowed = text("", "toolsAllowed");
    m_forget = button(tr("As&k again for all of them"), "toolsForget");
    layout->addWidget(m_forget, 0, Qt::AlignLeft);
    connect(m_forget, &QPushButton::clicked, this, [this] { complain(m_tools.forgetAllowed()); });
}

void ToolsPage::complain(const QString &problem)
{
    m_complaint = problem;
    showAll();
}

McpServer *ToolsPage::current() const
{
    const QListWidgetItem *const item = m_servers->currentItem();
    return item ? m_tools.server(item->data(kServerName).toString()) : nullptr;
}

void ToolsPage::showAll()
{
    m_showing = true;
    const QString folder = m_tools.memory().folder();
    m_folder->setText(folder.isEmpty() ? tr("No folder is chosen.")
                                       : QDir::toNativeSeparators(folder));
    m_noFolder->setEnabled(!folder.isEmpty());
    const QString problem = m_complaint.isEmpty() ? m_tools.configProblem() : m_complaint;
    m_problem->setText(asSentence(problem));
    m_problem->setVisible(!problem.isEmpty());
    const QString chosen = m_servers->currentItem()
                               ? m_servers->currentItem()->data(kServerName).toString()
                               : QString();
    // Rows are kept where the names are the same, so that the keyboard's place stays.
    const QList<McpServer *> &servers = m_tools.servers();
    while (m_servers->count() > servers.size())
        delete m_servers->takeItem(m_servers->count() - 1);
    for (int i = 0; i < int(servers.size()); ++i) {
        QListWidgetItem *item = m_servers->item(i);
        if (!item)
            item = new QListWidgetItem(m_servers);
        const McpServerConfig &config = servers[i]->config();
        const QString state = config.enabled ? serverStateText(servers[i]->state()) : tr("off");
        item->setText(tr("%1 — %2").arg(config.name, state));
        item->setData(kServerName, config.name);
        item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
        item->setCheckState(config.enabled ? Qt::Checked : Qt::Unchecked);
        if (config.name == chosen)
            m_servers->setCurrentRow(i);
    }
    if (m_servers->currentRow() < 0 && m_servers->count() > 0)
        m_servers->setCurrentRow(0);
    const auto allowed = static_cast<int>(m_tools.memory().allowedCount());
    m_allowed->setText(allowed == 0 ? tr("No tool runs unasked in every chat.")
                       : allowed == 1
                           ? tr("1 tool runs unasked in every chat.")
                           : tr("%1 tools run unasked in every chat.").arg(countText(allowed)));
    m_forget->setEnabled(allowed > 0);
    m_showing = false;
    showServer();
}

void ToolsPage::showServer()
{
    const McpServer *const server = current();
    for (QPushButton *one : {m_edit, m_remove})
        one->setEnabled(server);
    m_restart->setEnabled(server && server->config().enabled);
    m_list->clear();
    showAccount(server);
    m_state->setVisible(server);
    m_list->setVisible(server && !server->tools().isEmpty());
    m_lines->setVisible(server && !server->lastLines().isEmpty());
    if (!server)
        return;
    QStringList words;
    if (!server->config().enabled)
        words += tr("It is switched off.");
    else if (server->state().kind == McpServerState::Ready)
        words +=
            tr("%1 speaks version %2 of the protocol. Tools: %3.")
                .arg(server->serverName().isEmpty() ? server->config().name : server->serverName(),
                     server->version(), countText(server->tools().size()));
    else
        words += serverStateText(server->state());
    for (const QString &problem : server->problems())
        words += tr("Left out: %1.").arg(problem);
    m_state->setText(words.join(QLatin1Char('\n')));
    m_state->setProperty("role", server->state().kind == McpServerState::Failed ||
                                         server->state().kind == McpServerState::Waiting
                                     ? "error"
                                     : "");
    m_state->setStyleSheet({}); // the role is looked at again
    for (const Tool &tool : server->tools()) {
        auto *row = new QTreeWidgetItem(m_list, {tool.title.isEmpty() ? tool.name : tool.title,
                                                 tool.description.simplified().left(300)});
        row->setToolTip(0, plainToolTip(tool.name));
        row->setToolTip(1, plainToolTip(tool.description));
    }
    m_lines->setText(tr("Its last lines:\n%1")
                         .arg(server->lastLines()
                                  .mid(qMax<qsizetype>(0, server->lastLines().size() - kLinesShown))
                                  .join(QLatin1Char('\n'))));
}

void ToolsPage::showAccount(const McpServer *server)
{
    const auth::Authorizer *const authorizer = server ? server->authorizer() : nullptr;
    const bool offered = authorizer && authorizer->offer();
    const bool signedIn = authorizer && authorizer->isSignedIn();
    m_signIn->setVisible(offered);
    m_signIn->setEnabled(offered && !authorizer->isSigningIn());
    if (offered)
        m_signIn->setText(tr("Sign &in at %1").arg(authorizer->offer()->host.right(100)));
    m_signOut->setVisible(signedIn);
    QStringList words;
    if (offered && authorizer->isSigningIn())
        words += tr("Waiting for the browser…");
    else if (offered && !authorizer->offer()->problem.isEmpty())
        words += tr("You are not signed in: %1.").arg(authorizer->offer()->problem);
    if (signedIn)
        words += m_tools.signInProblem().isEmpty()
                     ? tr("You are signed in; the token is in the desktop's keyring.")
                     : tr("You are signed in until Fireside is closed: %1.")
                           .arg(m_tools.signInProblem());
    m_account->setText(words.join(QLatin1Char(' ')));
    m_account->setVisible(!words.isEmpty());
}

void ToolsPage::chooseFolder()
{
    auto *dialog = new QFileDialog(this, tr("Folder for the built-in tools"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString &folder) { complain(m_tools.setFolder(folder)); });
    dialog->open();
}

void ToolsPage::edit(const QString &name)
{
    auto *dialog = new ToolServerDialog(m_tools, name, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this] { complain({}); });
    dialog->open();
}

void ToolsPage::removeCurrent()
{
    const McpServer *const server = current();
    if (!server)
        return;
    const QString name = server->config().name;
    auto *box = new QMessageBox(QMessageBox::Question, tr("Remove a tool server"),
                                tr("Remove “%1” from mcp.json? Its program, or what runs at its "
                                   "address, stays as it is.")
                                    .arg(name),
                                QMessageBox::Cancel, this);
    box->setTextFormat(Qt::PlainText);
    box->setAttribute(Qt::WA_DeleteOnClose);
    QPushButton *const remove = box->addButton(tr("&Remove"), QMessageBox::AcceptRole);
    remove->setObjectName(QStringLiteral("toolsRemoveConfirmed"));
    connect(remove, &QPushButton::clicked, this,
            [this, name] { complain(m_tools.removeServer(name)); });
    box->open();
}

} // namespace fireside
