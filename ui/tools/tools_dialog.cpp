#include "ui/tools/tools_dialog.h"

#include "app/chat/chat_controller.h"
#include "app/runtime/engine_service.h"
#include "app/tools/tool_box.h"
#include "ui/backend/number_text.h"
#include "ui/tools/server_texts.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScreen>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace fireside {
namespace {

constexpr int kToolId = Qt::UserRole;
constexpr int kTokenColumn = 1;

} // namespace

ToolsDialog::ToolsDialog(ChatController &chat, EngineService &engine, QWidget *parent)
    : QDialog(parent)
    , m_chat(chat)
    , m_engine(engine)
{
    setWindowTitle(tr("Tools of this chat"));
    setSizeGripEnabled(true);
    auto *layout = new QVBoxLayout(this);
    auto *about =
        new QLabel(tr("The model may ask to call what is ticked here. Each call is shown, "
                      "and runs only when you allow it."));
    about->setWordWrap(true);
    about->setProperty("role", "muted");
    layout->addWidget(about);
    m_tree = new QTreeWidget;
    m_tree->setObjectName(QStringLiteral("chatToolList"));
    m_tree->setAccessibleName(tr("Tools"));
    m_tree->setColumnCount(2);
    m_tree->setHeaderLabels({tr("Tool"), tr("Tokens")});
    m_tree->header()->setStretchLastSection(false);
    m_tree->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_tree->header()->setSectionResizeMode(kTokenColumn, QHeaderView::ResizeToContents);
    layout->addWidget(m_tree, 1);
    m_total = new QLabel;
    m_total->setObjectName(QStringLiteral("chatToolTotal"));
    m_total->setTextFormat(Qt::PlainText);
    m_total->setWordWrap(true);
    layout->addWidget(m_total);
    m_newChats = new QCheckBox(tr("&New chats begin with these tools"));
    m_newChats->setObjectName(QStringLiteral("chatToolsForNew"));
    layout->addWidget(m_newChats);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    auto *servers = buttons->addButton(tr("&Servers and folder…"), QDialogButtonBox::ActionRole);
    servers->setObjectName(QStringLiteral("chatToolServers"));
    servers->setAutoDefault(false);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(servers, &QPushButton::clicked, this, [this] {
        close();
        emit serversRequested();
    });
    connect(m_tree, &QTreeWidget::itemChanged, this, [this] {
        if (!m_building)
            apply();
    });
    connect(m_newChats, &QCheckBox::toggled, this, [this](bool on) {
        if (!m_building)
            m_chat.toolBox()->setNewChats(on ? m_chat.chatTools().enabled : QStringList());
    });
    connect(&m_engine, &EngineService::toolsCounted, this, [this](const QList<int> &each, int all) {
        if (each.size() != m_listed.size())
            return; // of somebody else's question
        for (qsizetype i = 0; i < each.size(); ++i)
            m_tokens[m_listed[i]] = each[i];
        m_all = all;
        showTotal();
    });
    ToolBox *const tools = m_chat.toolBox();
    connect(tools, &ToolBox::toolsChanged, this, &ToolsDialog::rebuild);
    connect(tools, &ToolBox::serversChanged, this, &ToolsDialog::rebuild);
    connect(&m_engine, &EngineService::loaded, this, &ToolsDialog::askForCounts);
    resize(QSize(560, 560).boundedTo(screen()->availableSize() * 0.9));
    rebuild();
    m_tree->setFocus();
}

QTreeWidgetItem *ToolsDialog::addGroup(const QString &title, const QString &state)
{
    auto *group = new QTreeWidgetItem(m_tree);
    group->setText(0, state.isEmpty() ? title : tr("%1 — %2").arg(title, state));
    QFont bold = group->font(0);
    bold.setBold(true);
    group->setFont(0, bold);
    return group;
}

void ToolsDialog::addTool(QTreeWidgetItem *group, const Tool &tool)
{
    auto *row = new QTreeWidgetItem(group);
    row->setText(0, tool.title.isEmpty() || tool.title == tool.name
                        ? tool.name
                        : tr("%1 (%2)").arg(tool.title, tool.name));
    row->setToolTip(0, plainToolTip(tool.description));
    row->setData(0, kToolId, tool.id());
    row->setData(0, Qt::AccessibleDescriptionRole, tool.description.left(500));
    row->setTextAlignment(kTokenColumn, Qt::AlignRight | Qt::AlignVCenter);
    row->setFlags(row->flags() | Qt::ItemIsUserCheckable);
    row->setCheckState(0, m_chat.chatTools().enabled.contains(tool.id()) ? Qt::Checked
                                                                         : Qt::Unchecked);
}

void ToolsDialog::rebuild()
{
    m_building = true;
    const QString current =
        m_tree->currentItem() ? m_tree->currentItem()->data(0, kToolId).toString() : QString();
    m_tree->clear();
    ToolBox *const tools = m_chat.toolBox();
    QTreeWidgetItem *const own = addGroup(tr("Built in"), {});
    for (const Tool &tool : tools->tools())
        if (tool.server == kBuiltIn)
            addTool(own, tool);
    for (const McpServer *server : tools->servers()) {
        QTreeWidgetItem *const group =
            addGroup(server->config().name, server->state().kind == McpServerState::Ready
                                                ? QString()
                                                : serverStateText(server->state()));
        for (const Tool &tool : server->tools())
            addTool(group, tool);
    }
    for (int i = 0; i < m_tree->topLevelItemCount(); ++i) {
        QTreeWidgetItem *const group = m_tree->topLevelItem(i);
        if (group->childCount() > 0) // all of a server at once
            group->setFlags(group->flags() | Qt::ItemIsUserCheckable | Qt::ItemIsAutoTristate);
        for (int k = 0; k < group->childCount(); ++k)
            if (group->child(k)->data(0, kToolId) == current && !current.isEmpty())
                m_tree->setCurrentItem(group->child(k));
        group->setExpanded(true);
    }
    if (!m_tree->currentItem())
        m_tree->setCurrentItem(own);
    m_building = false;
    askForCounts();
}

/// Tools that are not there now stay enabled.
void ToolsDialog::apply()
{
    QStringList enabled = m_chat.chatTools().enabled;
    for (int i = 0; i < m_tree->topLevelItemCount(); ++i) {
        const QTreeWidgetItem *const group = m_tree->topLevelItem(i);
        for (int k = 0; k < group->childCount(); ++k) {
            const QString id = group->child(k)->data(0, kToolId).toString();
            const bool on = group->child(k)->checkState(0) == Qt::Checked;
            if (on && !enabled.contains(id))
                enabled.append(id);
            else if (!on)
                enabled.removeAll(id);
        }
    }
    if (enabled == m_chat.chatTools().enabled)
        return;
    m_chat.setChatTools(enabled);
    if (m_newChats->isChecked())
        m_chat.toolBox()->setNewChats(enabled);
    askForCounts();
}

void ToolsDialog::askForCounts()
{
    m_listed.clear();
    for (const Tool &tool : m_chat.toolBox()->tools())
        m_listed.append(tool.id());
    m_all = -1;
    m_tokens.clear();
    showTotal();
    m_engine.countTools(m_chat.offersOf(m_listed), m_chat.offersOf(m_chat.chatTools().enabled));
}

void ToolsDialog::showTotal()
{
    m_building = true;
    for (int i = 0; i < m_tree->topLevelItemCount(); ++i) {
        QTreeWidgetItem *const group = m_tree->topLevelItem(i);
        for (int k = 0; k < group->childCount(); ++k) {
            const auto tokens = m_tokens.constFind(group->child(k)->data(0, kToolId).toString());
            group->child(k)->setText(
                kTokenColumn, tokens == m_tokens.constEnd() ? QString() : countText(*tokens));
        }
    }
    const QStringList &enabled = m_chat.chatTools().enabled;
    const QStringList &forNew = m_chat.toolBox()->memory().newChats();
    m_newChats->setChecked(!enabled.isEmpty() && forNew == enabled);
    m_newChats->setEnabled(!enabled.isEmpty() || !forNew.isEmpty());
    const qsizetype there = m_chat.offersOf(enabled).size();
    if (there == 0)
        m_total->setText(tr("No tools: nothing is added to the prompt."));
    else if (m_all < 0 && m_engine.model().backend == QLatin1String("server"))
        m_total->setText(tr("They are part of each prompt; the server counts what they take."));
    else if (m_all < 0)
        m_total->setText(tr("What they take is known when a model is loaded."));
    else
        m_total->setText(tr("Together they take %1 of the %2 tokens of context.")
                             .arg(countText(m_all), countText(m_engine.model().context)));
    m_building = false;
}

} // namespace fireside
