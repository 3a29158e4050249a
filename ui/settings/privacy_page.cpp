#include "ui/settings/privacy_page.h"

#include "app/hub/network.h"
#include "app/runtime/engine_text.h"
#include "ui/backend/number_text.h"
#include "ui/settings/connection_model.h"
#include "ui/style/direction.h"
#include "ui/style/text_fields.h"

#include <QCheckBox>
#include <QDir>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

namespace fireside {
namespace {

constexpr int kRefreshMs = 300;
constexpr int kListLines = 12;

} // namespace

PrivacyPage::PrivacyPage(Network &network, QWidget *parent)
    : QWidget(parent)
    , m_network(network)
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    addText(layout, "heading", tr("Offline"));
    m_offline = new QCheckBox(tr("Stay &offline"), this);
    m_offline->setObjectName(QStringLiteral("offlineSwitch"));
    layout->addWidget(m_offline);
    addText(layout, "muted",
            tr("Fireside then opens no connection at all, and hands no link to the browser. What "
               "runs is cut at once; downloads go on when you are online again. Chats with "
               "models on this computer need no connection; remote models cannot answer."));
    m_offlineProblem = addText(layout, "warning", {});
    m_offlineProblem->hide();
    connect(m_offline, &QCheckBox::toggled, this, &PrivacyPage::setOffline);
    connect(&network, &Network::offlineChanged, m_offline, &QCheckBox::setChecked);
    buildAccess(layout);
    buildConnections(layout);

    m_refresh.setSingleShot(true);
    m_refresh.setInterval(kRefreshMs);
    connect(&m_refresh, &QTimer::timeout, this, &PrivacyPage::showConnections);
    // From any thread.
    connect(&network.connections(), &Connections::recorded, this, [this] {
        if (isVisible() && !m_refresh.isActive())
            m_refresh.start();
    });
    connect(&network, &Network::accessChanged, this, &PrivacyPage::showAccess);
    const QSignalBlocker blocked(m_offline);
    m_offline->setChecked(network.offline());
    showAccess();
}

QLabel *PrivacyPage::addText(QVBoxLayout *layout, const char *role, const QString &text,
                             const char *name)
{
    auto *label = new QLabel(text, this);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setProperty("role", role);
    label->setObjectName(QLatin1String(name));
    layout->addWidget(label);
    return label;
}

void PrivacyPage::buildAccess(QVBoxLayout *layout)
{
    layout->addSpacing(12);
    addText(layout, "heading", tr("Hugging Face"));
    const auto addRow = [&](const QString &text, QLineEdit *field) {
        auto *label = new QLabel(text, this);
        label->setBuddy(field);
        layout->addWidget(label);
        auto *row = new QHBoxLayout;
        row->addWidget(field, 1);
        layout->addLayout(row);
        return row;
    };
    const auto addButton = [&](QHBoxLayout *row, const QString &text, const char *name) {
        auto *button = new QPushButton(text, this);
        button->setObjectName(QLatin1String(name));
        button->setAutoDefault(false);
        row->addWidget(button);
        return button;
    };
    m_address = new LineField(this);
    m_address->setObjectName(QStringLiteral("hubAddress"));
    m_address->setPlaceholderText(QStringLiteral("https://huggingface.co"));
    addRow(tr("&Address, where it is a mirror"), m_address);
    connect(m_address, &QLineEdit::editingFinished, this, &PrivacyPage::storeAddress);

    m_token = new LineField(this);
    m_token->setObjectName(QStringLiteral("hubToken"));
    m_token->setEchoMode(QLineEdit::Password);
    m_token->setPlaceholderText(QStringLiteral("hf_…"));
    QHBoxLayout *row = addRow(tr("Access &token, for models that are not open to all"), m_token);
    m_saveToken = addButton(row, tr("S&ave"), "hubTokenSave");
    m_removeToken = addButton(row, tr("Re&move"), "hubTokenRemove");
    m_saveToken->setEnabled(false);
    connect(m_token, &QLineEdit::textChanged, m_saveToken,
            [this](const QString &text) { m_saveToken->setEnabled(!text.trimmed().isEmpty()); });
    connect(m_saveToken, &QPushButton::clicked, this,
            [this] { storeToken(m_token->text().toUtf8()); });
    connect(m_removeToken, &QPushButton::clicked, this, [this] { storeToken({}); });
    m_tokenState = addText(layout, "muted", {}, "hubTokenState");
    m_accessProblem = addText(layout, "warning", {}, "hubProblem");
    m_accessProblem->hide();
}

void PrivacyPage::buildConnections(QVBoxLayout *layout)
{
    layout->addSpacing(12);
    addText(layout, "heading", tr("Connections"));
    addText(layout, "muted",
            tr("Every connection that Fireside ever asked for, allowed or refused. There are none "
               "besides these: no telemetry, no search for updates. The list stays on this "
               "computer."));
    m_connections = new ConnectionModel(this);
    m_list = new QTreeView(this);
    m_list->setObjectName(QStringLiteral("connectionList"));
    m_list->setAccessibleName(tr("Connections"));
    m_list->setModel(m_connections);
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setTabKeyNavigation(false);
    m_list->setAllColumnsShowFocus(true);
    m_list->setStyleSheet(QStringLiteral("QTreeView::item { padding: 4px 2px; border: none; }"));
    m_list->setMinimumHeight(kListLines * (fontMetrics().height() + 8));
    const int letter = fontMetrics().averageCharWidth();
    const int widths[] = {24, 18, 24, 11};
    for (int column = 0; column < 4; ++column)
        m_list->setColumnWidth(
            column, std::max(widths[column] * letter, m_list->header()->sectionSizeHint(column)));
    m_list->header()->setStretchLastSection(true);
    layout->addWidget(m_list, 1);
    m_listProblem = addText(layout, "warning", {}, "connectionProblem");
    m_listProblem->hide();

    auto *row = new QHBoxLayout;
    m_count = new QLabel(this);
    m_count->setObjectName(QStringLiteral("connectionCount"));
    m_count->setProperty("role", "muted");
    row->addWidget(m_count, 1);
    m_clear = new QPushButton(tr("&Clear"), this);
    m_clear->setObjectName(QStringLiteral("connectionClear"));
    m_clear->setAccessibleName(tr("Clear the list of connections"));
    m_export = new QPushButton(tr("&Export…"), this);
    m_export->setObjectName(QStringLiteral("connectionExport"));
    m_export->setAccessibleName(tr("Export the list of connections"));
    for (QPushButton *button : {m_clear, m_export}) {
        button->setAutoDefault(false);
        row->addWidget(button);
    }
    layout->addLayout(row);
    connect(m_clear, &QPushButton::clicked, this, &PrivacyPage::clearConnections);
    connect(m_export, &QPushButton::clicked, this, &PrivacyPage::exportConnections);
}

void PrivacyPage::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    showConnections();
}

void PrivacyPage::showProblem(QLabel *label, const QString &problem)
{
    label->setText(problem);
    label->setVisible(!problem.isEmpty());
}

void PrivacyPage::setOffline(bool offline)
{
    const QString problem = m_network.setOffline(offline);
    showProblem(m_offlineProblem, problem.isEmpty()
                                      ? QString()
                                      : tr("This holds until the program ends, but cannot be "
                                           "remembered: %1")
                                            .arg(problem));
}

void PrivacyPage::storeToken(const QByteArray &token)
{
    const QString problem = m_network.setToken(token);
    if (problem.isEmpty())
        m_token->clear();
    showProblem(m_accessProblem, asSentence(problem));
}

void PrivacyPage::storeAddress()
{
    const QString problem = m_network.setAddress(m_address->text());
    showProblem(m_accessProblem, asSentence(problem));
}

void PrivacyPage::showAccess()
{
    const HubAccess &access = m_network.access();
    const QString usual = QStringLiteral("https://huggingface.co");
    const QString address = access.address.toString();
    if (!m_address->hasFocus())
        m_address->setText(address == usual ? QString() : address);
    m_address->setEnabled(!qEnvironmentVariableIsSet("HF_ENDPOINT"));
    m_address->setToolTip(m_address->isEnabled() ? QString()
                                                 : tr("The variable HF_ENDPOINT says it"));
    const bool stored = m_network.tokenStored();
    m_removeToken->setEnabled(stored);
    const QString where = pathText(hubTokenPath());
    m_tokenState->setText(
        stored ? tr("A token is stored in %1, which only you may read. It goes to %2 alone.")
                     .arg(where, access.address.host())
        : !access.token.isEmpty()
            ? tr("The token of the variable HF_TOKEN is used. It goes to %1 alone.")
                  .arg(access.address.host())
            : tr("No token is stored. It would lie in %1, which only you may read.").arg(where));
}

void PrivacyPage::showConnections()
{
    const QList<ConnectionRecord> records = m_network.connections().records();
    m_connections->setRecords(records);
    m_count->setText(tr("Connections: %1").arg(countText(records.size())));
    m_clear->setEnabled(!records.isEmpty());
    m_export->setEnabled(!records.isEmpty());
    const QString problem = m_network.connections().problem();
    showProblem(m_listProblem,
                problem.isEmpty() ? QString() : tr("The list cannot be stored: %1").arg(problem));
}

void PrivacyPage::clearConnections()
{
    const QString problem = m_network.connections().clear();
    showConnections();
    if (!problem.isEmpty())
        showProblem(m_listProblem, tr("The stored list cannot be deleted: %1").arg(problem));
}

void PrivacyPage::exportConnections()
{
    const QString path = QFileDialog::getSaveFileName(
        this, tr("Export the list of connections"),
        QDir::homePath() + QStringLiteral("/fireside-connections.csv"), tr("Tables (*.csv)"));
    if (path.isEmpty())
        return;
    const QString problem = storeCsv(path, m_network.connections().records());
    showProblem(m_listProblem,
                problem.isEmpty() ? QString() : tr("It cannot be exported: %1").arg(problem));
}

} // namespace fireside
