#include "ui/servers/servers_page.h"

#include "app/models/model_library.h"
#include "app/remote/remote_models.h"
#include "app/runtime/engine_service.h"
#include "ui/backend/number_text.h"
#include "ui/help/help_dialog.h"
#include "ui/servers/server_dialog.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>

namespace fireside {
namespace {

constexpr int kIdRole = Qt::UserRole;

/// What is known of it, in a few words.
QString stateText(const ServerModels &known)
{
    if (known.asked)
        return ServersPage::tr("asking…");
    if (!known.listing.problem.isEmpty())
        return known.listing.problem;
    const QString models =
        ServersPage::tr("models: %1").arg(countText(known.listing.models.size()));
    const QString kind = nameOf(known.listing.kind);
    return kind.isEmpty() ? models : QStringLiteral("%1 · %2").arg(kind, models);
}

} // namespace

ServersPage::ServersPage(RemoteModels &servers, EngineService &engine, QWidget *parent)
    : QWidget(parent)
    , m_remote(servers)
    , m_engine(engine)
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    addText("heading")->setText(tr("Servers elsewhere"));
    addText("muted")->setText(
        tr("Models that other computers or programs run: vLLM, SGLang, llama-server, LM Studio, "
           "Ollama, or a service. Chats with them are sent there; nothing is computed here."));
    m_list = new QListWidget(this);
    m_list->setObjectName(QStringLiteral("serverList"));
    m_list->setAccessibleName(tr("Servers"));
    m_list->setWordWrap(true);
    m_list->setStyleSheet(QStringLiteral("QListWidget::item { padding: 6px; border: none; }"));
    m_list->setMinimumHeight(fontMetrics().height() * 8);
    layout->addWidget(m_list, 4);
    m_empty = addText("muted");
    m_empty->setText(tr("No server was added yet."));
    layout->addWidget(buildButtons());
    m_problem = addText("warning");
    layout->addSpacing(8);
    layout->addWidget(buildFallback());
    layout->addStretch(1);

    connect(m_list, &QListWidget::currentRowChanged, this, &ServersPage::updateButtons);
    connect(m_list, &QListWidget::itemActivated, this, &ServersPage::edit);
    connect(&m_remote, &RemoteModels::modelsChanged, this, &ServersPage::showServers);
    connect(&m_engine, &EngineService::loaded, this, &ServersPage::showFallback);
    showServers();
    showFallback();
}

QLabel *ServersPage::addText(const char *role)
{
    auto *label = new QLabel(this);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setProperty("role", role);
    layout()->addWidget(label);
    return label;
}

QWidget *ServersPage::buildButtons()
{
    auto *row = new QWidget(this);
    auto *layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    const auto button = [&](const QString &text, const char *name, auto slot) {
        auto *made = new QPushButton(text, row);
        made->setObjectName(QLatin1String(name));
        made->setAutoDefault(false);
        connect(made, &QPushButton::clicked, this, slot);
        layout->addWidget(made);
        return made;
    };
    button(tr("&Add…"), "serverAdd", &ServersPage::add);
    m_edit = button(tr("&Change…"), "serverEdit", &ServersPage::edit);
    m_remove = button(tr("&Remove…"), "serverRemove", &ServersPage::remove);
    layout->addStretch(1);
    button(tr("&How to run large models"), "serverHelp", &ServersPage::showHelp);
    return row;
}

QWidget *ServersPage::buildFallback()
{
    auto *box = new QWidget(this);
    auto *layout = new QVBoxLayout(box);
    layout->setContentsMargins(0, 0, 0, 0);
    m_fallback =
        new QCheckBox(tr("A&nswer on this computer while a server cannot be reached"), box);
    m_fallback->setObjectName(QStringLiteral("serverFallback"));
    m_fallbackText = new QLabel(box);
    m_fallbackText->setTextFormat(Qt::PlainText);
    m_fallbackText->setWordWrap(true);
    m_fallbackText->setProperty("role", "muted");
    m_fallbackText->setContentsMargins(26, 0, 0, 0);
    layout->addWidget(m_fallback);
    layout->addWidget(m_fallbackText);
    connect(m_fallback, &QCheckBox::toggled, this,
            [this](bool on) { m_remote.servers().setFallsBack(on); });
    return box;
}

void ServersPage::showFallback()
{
    const QString path = m_remote.servers().localModel();
    const QString name = path.isEmpty() ? tr("the starter model") : ModelLibrary::displayName(path);
    m_fallbackText->setText(tr("With the model of this computer that was used last: %1. The reply "
                               "says so, and the next message goes to the server again.")
                                .arg(name));
    m_fallback->setAccessibleDescription(m_fallbackText->text());
    const QSignalBlocker blocker(m_fallback);
    m_fallback->setChecked(m_remote.servers().fallsBack());
}

void ServersPage::showEvent(QShowEvent *)
{
    m_remote.refresh();
    showFallback();
}

void ServersPage::showServers()
{
    const QString before = chosen();
    const QSignalBlocker blocker(m_list);
    m_list->clear();
    for (const RemoteServer &server : m_remote.servers().all()) {
        const QString state = stateText(m_remote.modelsOf(server.id));
        auto *item = new QListWidgetItem(
            QStringLiteral("%1\n%2\n%3").arg(server.title(), server.address.toString(), state),
            m_list);
        item->setData(kIdRole, server.id);
        if (server.id == before)
            m_list->setCurrentItem(item);
    }
    if (m_list->currentRow() < 0 && m_list->count() > 0)
        m_list->setCurrentRow(0);
    m_list->setVisible(m_list->count() > 0);
    m_empty->setVisible(m_list->count() == 0);
    m_problem->setText(m_remote.servers().problem());
    m_problem->setVisible(!m_problem->text().isEmpty());
    updateButtons();
}

void ServersPage::updateButtons()
{
    m_edit->setEnabled(!chosen().isEmpty());
    m_remove->setEnabled(!chosen().isEmpty());
}

QString ServersPage::chosen() const
{
    const QListWidgetItem *item = m_list->currentItem();
    return item ? item->data(kIdRole).toString() : QString();
}

void ServersPage::add()
{
    auto *dialog = new ServerDialog(m_remote, RemoteServer{}, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

void ServersPage::edit()
{
    const auto server = m_remote.servers().server(chosen());
    if (!server)
        return;
    auto *dialog = new ServerDialog(m_remote, *server, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

void ServersPage::remove()
{
    const auto server = m_remote.servers().server(chosen());
    if (!server)
        return;
    auto *box = new QMessageBox(QMessageBox::Question, tr("Remove a server"),
                                tr("Remove “%1” from the list?").arg(server->title()),
                                QMessageBox::Cancel, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setTextFormat(Qt::PlainText);
    box->setInformativeText(tr("Its key is deleted, too. Chats with its models stay."));
    QPushButton *yes = box->addButton(tr("Remove"), QMessageBox::DestructiveRole);
    box->setDefaultButton(QMessageBox::Cancel);
    connect(yes, &QPushButton::clicked, this,
            [this, id = server->id] { m_remote.servers().remove(id); });
    box->open();
}

void ServersPage::showHelp()
{
    HelpDialog::show(tr("Models of servers"), QStringLiteral("engines-elsewhere"), this);
}

} // namespace fireside
