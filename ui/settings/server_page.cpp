#include "ui/settings/server_page.h"

#include "app/runtime/engine_text.h"
#include "app/runtime/model_server.h"
#include "app/runtime/server_key.h"
#include "app/settings/app_settings.h"
#include "app/settings/setting_values.h"
#include "ui/backend/number_text.h"
#include "ui/style/wrap_layout.h"

#include <QApplication>
#include <QClipboard>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QSpinBox>
#include <QTableWidget>
#include <QVBoxLayout>

namespace fireside {
namespace {

constexpr int kAskServerEveryMs = 1000;
constexpr int kShortestKey = 16;

QPushButton *button(const QString &text, const QString &name, const QString &accessible,
                    QWidget *parent)
{
    auto *made = new QPushButton(text, parent);
    made->setObjectName(name);
    made->setAccessibleName(accessible);
    made->setAutoDefault(false);
    return made;
}

} // namespace

ServerPage::ServerPage(AppSettings &settings, ModelServer &server, QWidget *parent)
    : QWidget(parent)
    , m_settings(settings)
    , m_server(server)
    , m_editors(QString(), this)
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    addText("heading", {})->setText(tr("Server for other programs"));
    m_problem = addText("warning", QStringLiteral("serverProblem"));
    addEditors();
    m_state = addText("", QStringLiteral("serverState"));
    addClients();
    layout->addStretch(1);

    for (auto *port : findChildren<QSpinBox *>(QStringLiteral("port")))
        port->setGroupSeparatorShown(false);
    m_editors.show(settings.server());
    m_key->setText(serverKey());
    m_editors.onEdited(this, [this] { edited(); });
    connect(&settings, &AppSettings::serverChanged, this,
            [this] { m_editors.show(m_settings.server()); });
    connect(&m_server, &ModelServer::changed, this, &ServerPage::showStatus);
    m_timer.setInterval(kAskServerEveryMs);
    connect(&m_timer, &QTimer::timeout, this, &ServerPage::showStatus);
    showStatus();
}

QLabel *ServerPage::addText(const char *role, const QString &name)
{
    auto *label = new QLabel(this);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setProperty("role", role);
    label->setObjectName(name);
    layout()->addWidget(label);
    return label;
}

QWidget *ServerPage::addressRow()
{
    auto *row = new QWidget(this);
    auto *columns = new QHBoxLayout(row);
    columns->setContentsMargins(0, 0, 0, 0);
    m_address = new QLineEdit(row);
    m_address->setObjectName(QStringLiteral("serverAddress"));
    m_address->setAccessibleName(tr("Address for other programs"));
    m_address->setReadOnly(true);
    m_address->setPlaceholderText(tr("It is off"));
    m_copyAddress =
        button(tr("&Copy"), QStringLiteral("serverCopyAddress"), tr("Copy the address"), row);
    connect(m_copyAddress, &QPushButton::clicked, this,
            [this] { QApplication::clipboard()->setText(m_address->text()); });
    columns->addWidget(m_address, 1);
    columns->addWidget(m_copyAddress);
    return row;
}

QWidget *ServerPage::keyRow()
{
    auto *row = new QWidget(this);
    auto *columns = new WrapLayout(row);
    columns->setContentsMargins(0, 0, 0, 0);
    m_key = new QLineEdit(row);
    m_key->setMinimumWidth(24 * fontMetrics().averageCharWidth()); // of a key
    m_key->setObjectName(QStringLiteral("serverKey"));
    m_key->setAccessibleName(tr("Key that programs must send"));
    m_key->setEchoMode(QLineEdit::Password);
    m_key->setPlaceholderText(tr("None: every program on this computer may ask"));
    m_key->setMaxLength(200);
    m_showKey = button(tr("&Show"), QStringLiteral("serverShowKey"), tr("Show the key"), row);
    m_showKey->setCheckable(true);
    auto *make = button(tr("&New key"), QStringLiteral("serverNewKey"), tr("Make a new key"), row);
    m_copyKey = button(tr("C&opy"), QStringLiteral("serverCopyKey"), tr("Copy the key"), row);
    connect(m_showKey, &QPushButton::toggled, this, [this](bool shown) {
        m_key->setEchoMode(shown ? QLineEdit::Normal : QLineEdit::Password);
    });
    connect(m_key, &QLineEdit::editingFinished, this, [this] { storeKey(m_key->text()); });
    connect(make, &QPushButton::clicked, this, [this] { storeKey(newServerKey()); });
    connect(m_copyKey, &QPushButton::clicked, this,
            [this] { QApplication::clipboard()->setText(m_key->text()); });
    columns->addWidget(m_key);
    columns->setGrowing(m_key);
    for (QPushButton *each : {m_showKey, make, m_copyKey})
        columns->addWidget(each);
    return row;
}

void ServerPage::addEditors()
{
    auto *form = new QFormLayout;
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setRowWrapPolicy(QFormLayout::WrapLongRows);
    for (const SettingEditor *editor : m_editors.all()) {
        const Setting &setting = editor->setting();
        const bool first = std::string_view(setting.key) == "on";
        auto *help = new QLabel(translated(setting.help), this);
        help->setTextFormat(Qt::PlainText);
        help->setWordWrap(true);
        help->setProperty("role", "muted");
        help->setAlignment(Qt::AlignTop | Qt::AlignLeading); // beside what it is about
        if (first) {
            form->addRow(editor->control());
            form->addRow(help);
            auto *address = new QLabel(tr("&Address"), this);
            QWidget *const row = addressRow();
            address->setBuddy(m_address);
            form->addRow(address, row);
            auto *key = new QLabel(tr("&Key"), this);
            QWidget *const keys = keyRow();
            key->setBuddy(m_key);
            form->addRow(key, keys);
            continue;
        }
        auto *label = new QLabel(translated(setting.label), this);
        label->setBuddy(editor->control());
        if (std::string_view(setting.key) == "port")
            editor->control()->setLocale(QLocale::c()); // as addresses have it
        editor->control()->setMinimumHeight(fontMetrics().height() + 14);
        form->addRow(label, editor->control());
        form->addRow(QString(), help);
    }
    static_cast<QVBoxLayout *>(layout())->addLayout(form);
}

void ServerPage::addClients()
{
    addText("heading", {})->setText(tr("Programs that asked"));
    m_clients = new QTableWidget(0, 5, this);
    m_clients->setObjectName(QStringLiteral("serverClients"));
    m_clients->setAccessibleName(tr("Programs that asked"));
    m_clients->setHorizontalHeaderLabels(
        {tr("Program"), tr("From"), tr("Requests"), tr("Tokens read"), tr("Tokens written")});
    m_clients->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_clients->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_clients->verticalHeader()->hide();
    m_clients->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_clients->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_clients->setTabKeyNavigation(false);
    m_clients->setMinimumHeight(fontMetrics().height() * 7);
    layout()->addWidget(m_clients);
}

void ServerPage::edited()
{
    if (!m_editors.complete())
        return;
    const ServerSettings settings = m_editors.shown();
    // Open to others it needs a key: one is made, rather than a complaint.
    if (settings.host != ServerSettings().host && m_key->text().size() < kShortestKey)
        storeKey(newServerKey());
    m_settings.setServer(settings);
}

void ServerPage::storeKey(const QString &key)
{
    if (m_key->text() != key)
        m_key->setText(key);
    if (key == serverKey())
        return;
    const QString problem = storeServerKey(key);
    m_problem->setText(asSentence(problem));
    m_problem->setVisible(!problem.isEmpty());
    emit m_settings.serverChanged(); // whoever serves reads the key again
}

void ServerPage::showStatus()
{
    const ServerStatus status = m_server.status();
    m_address->setText(status.address);
    m_copyAddress->setEnabled(status.running);
    m_copyKey->setEnabled(!m_key->text().isEmpty());
    const bool failed = !status.running && !status.problem.isEmpty();
    m_address->setPlaceholderText(failed ? tr("It could not be started") : tr("It is off"));
    QString state = failed ? tr("It is on, but could not be started") : tr("Off");
    if (status.running && status.model.isEmpty())
        state = tr("On; no model is loaded on this computer");
    else if (status.running && status.requestsRunning == 0 && status.requestsWaiting == 0)
        state = tr("On, with the model %1: nobody asks just now").arg(status.model);
    else if (status.running)
        state = tr("On, with the model %1: %n replies are being written, %2 requests wait; "
                   "%3 together",
                   nullptr, status.requestsRunning)
                    .arg(status.model, countText(status.requestsWaiting),
                         rateText(status.tokensPerSecond));
    m_state->setText(state);
    m_problem->setText(asSentence(status.problem));
    m_problem->setVisible(!status.problem.isEmpty());
    m_clients->setRowCount(static_cast<int>(status.clients.size()));
    for (int row = 0; row < m_clients->rowCount(); ++row) {
        const ServerStatus::Client &client = status.clients[row];
        const QString program = client.program.isEmpty() ? tr("without a name") : client.program;
        const QStringList texts{client.running > 0 ? tr("%1 (asks now)").arg(program) : program,
                                client.address, countText(client.requests),
                                countText(client.promptTokens), countText(client.generatedTokens)};
        for (int column = 0; column < texts.size(); ++column) {
            QTableWidgetItem *item = m_clients->item(row, column);
            if (item == nullptr)
                m_clients->setItem(row, column, item = new QTableWidgetItem);
            item->setText(texts[column]);
            item->setToolTip(texts[column]);
        }
    }
}

void ServerPage::showEvent(QShowEvent *)
{
    showStatus();
    m_timer.start();
}

void ServerPage::hideEvent(QHideEvent *)
{
    m_timer.stop();
}

} // namespace fireside
