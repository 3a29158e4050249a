#include "ui/servers/server_dialog.h"

#include "app/remote/remote_models.h"
#include "app/runtime/engine_text.h"
#include "ui/backend/number_text.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScreen>
#include <QStyle>
#include <QVBoxLayout>

#include <utility>

namespace fireside {

ServerDialog::ServerDialog(RemoteModels &servers, RemoteServer server, QWidget *parent)
    : QDialog(parent)
    , m_remote(servers)
    , m_before(std::move(server))
{
    setWindowTitle(m_before.id.isEmpty() ? tr("Add a server") : tr("Change a server"));
    setSizeGripEnabled(true);
    auto *layout = new QVBoxLayout(this);
    auto *form = new QFormLayout;
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setRowWrapPolicy(QFormLayout::WrapLongRows);
    m_address = addLine(form, tr("&Address"), "serverAddress");
    m_address->setPlaceholderText(QStringLiteral("http://localhost:8000"));
    m_warning = new QLabel(this);
    m_warning->setObjectName(QStringLiteral("serverWarning"));
    m_warning->setProperty("role", "warning");
    m_warning->setWordWrap(true);
    m_warning->setContentsMargins(8, 4, 8, 4);
    m_warning->setText(tr("This address is not encrypted: whoever is on the way can read what you "
                          "write, and the key. Between computers https is safer, or a tunnel."));
    form->addRow(m_warning);
    m_name = addLine(form, tr("&Name"), "serverName");
    m_name->setPlaceholderText(tr("As it is to be called; empty: its address"));
    addKey(form);
    addMore(form);
    layout->addLayout(form);
    layout->addWidget(buildTest());
    layout->addStretch(1);

    m_buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel, this);
    m_buttons->button(QDialogButtonBox::Save)->setObjectName(QStringLiteral("serverSave"));
    m_buttons->button(QDialogButtonBox::Save)->setProperty("role", "primary");
    layout->addWidget(m_buttons);
    connect(m_buttons, &QDialogButtonBox::accepted, this, &ServerDialog::save);
    connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_address, &QLineEdit::textChanged, this, &ServerDialog::updateWarning);
    connect(
        &m_remote.servers(), &RemoteServers::stored, this,
        [this](const QString &id, const QString &problem) {
            if (m_saving.isEmpty() || id != m_saving)
                return;
            m_saving.clear();
            if (problem.isEmpty())
                return accept();
            m_buttons->button(QDialogButtonBox::Save)->setEnabled(true);
            say("error",
                tr("The key could not be stored: %1. Choose another place for it.").arg(problem));
            m_place->setFocus();
        });
    showServer();
    resize(QSize(560, 480).boundedTo(screen()->availableSize() * 0.9));
    m_address->setFocus();
}

QLineEdit *ServerDialog::addLine(QFormLayout *form, const QString &label, const char *name)
{
    auto *field = new QLineEdit(this);
    field->setObjectName(QLatin1String(name));
    field->setAccessibleName(QString(label).remove(QLatin1Char('&')));
    form->addRow(label, field);
    return field;
}

void ServerDialog::addKey(QFormLayout *form)
{
    m_key = addLine(form, tr("&Key"), "serverKey");
    m_key->setEchoMode(QLineEdit::Password);
    m_place = new QComboBox(this);
    m_place->setObjectName(QStringLiteral("serverKeyPlace"));
    m_place->setAccessibleName(tr("Where the key is kept"));
    m_place->addItem(tr("In the desktop's keyring"), static_cast<int>(KeyPlace::Keyring));
    m_place->addItem(tr("Nowhere: until Fireside ends"), static_cast<int>(KeyPlace::Session));
    m_place->addItem(tr("In a file that only you can read, not encrypted"),
                     static_cast<int>(KeyPlace::File));
    if (m_before.key != KeyPlace::None)
        m_place->addItem(tr("Forget the key"), static_cast<int>(KeyPlace::None));
    m_place->setMinimumHeight(fontMetrics().height() + 14);
    form->addRow(tr("Kee&p the key"), m_place);
}

void ServerDialog::addMore(QFormLayout *form)
{
    m_models = addLine(form, tr("&Models"), "serverModels");
    m_models->setPlaceholderText(tr("Only where the server does not list them; several: a, b"));
    m_headers = new QPlainTextEdit(this);
    m_headers->setObjectName(QStringLiteral("serverHeaders"));
    m_headers->setAccessibleName(tr("Headers"));
    m_headers->setTabChangesFocus(true);
    m_headers->setPlaceholderText(tr("Rarely needed. Name: value, one per line"));
    m_headers->setFixedHeight(fontMetrics().height() * 3 + 12);
    form->addRow(tr("&Headers"), m_headers);
}

QWidget *ServerDialog::buildTest()
{
    auto *row = new QWidget(this);
    auto *layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 8, 0, 0);
    m_test = new QPushButton(tr("&Test connection"), row);
    m_test->setObjectName(QStringLiteral("serverTest"));
    m_test->setAutoDefault(false);
    m_result = new QLabel(row);
    m_result->setObjectName(QStringLiteral("serverResult"));
    m_result->setAccessibleName(tr("Result of the test"));
    m_result->setTextFormat(Qt::PlainText);
    m_result->setWordWrap(true);
    m_result->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    layout->addWidget(m_test, 0, Qt::AlignTop);
    layout->addWidget(m_result, 1);
    connect(m_test, &QPushButton::clicked, this, &ServerDialog::test);
    return row;
}

void ServerDialog::showServer()
{
    m_name->setText(m_before.name);
    m_address->setText(m_before.address.toString());
    m_models->setText(m_before.models.join(QStringLiteral(", ")));
    QStringList lines;
    for (const auto &[name, value] : m_before.headers)
        lines += QString::fromUtf8(name) + QStringLiteral(": ") + QString::fromUtf8(value);
    m_headers->setPlainText(lines.join(QLatin1Char('\n')));
    const bool hasKey = m_before.key != KeyPlace::None;
    m_key->setPlaceholderText(hasKey ? tr("Stays as it is")
                                     : tr("Only where the server wants one"));
    if (hasKey)
        m_place->setCurrentIndex(m_place->findData(static_cast<int>(m_before.key)));
    updateWarning();
}

void ServerDialog::updateWarning()
{
    const QUrl address = usableAddress(m_address->text());
    m_warning->setVisible(address.isValid() && isOpenToOthers(address));
}

std::optional<RemoteServer> ServerDialog::entered()
{
    RemoteServer server = m_before;
    QString problem;
    server.address = usableAddress(m_address->text(), &problem);
    server.name = m_name->text().simplified().left(200);
    server.headers = parseHeaders(m_headers->toPlainText(), &problem);
    server.models.clear();
    for (const QString &model : m_models->text().split(QLatin1Char(','), Qt::SkipEmptyParts))
        if (!model.trimmed().isEmpty())
            server.models.append(model.trimmed());
    const auto place = static_cast<KeyPlace>(m_place->currentData().toInt());
    server.key = m_key->text().isEmpty() && m_before.key == KeyPlace::None ? KeyPlace::None : place;
    if (!isKey(m_key->text().trimmed().toUtf8()))
        problem = tr("a key consists of printable letters without spaces");
    if (problem.isEmpty())
        return server;
    say("error", asSentence(problem));
    return std::nullopt;
}

void ServerDialog::test()
{
    const std::optional<RemoteServer> server = entered();
    if (!server)
        return;
    delete m_query;
    say("muted", tr("Asking %1…").arg(server->host()));
    m_test->setEnabled(false);
    if (!m_key->text().isEmpty() || m_before.key == KeyPlace::None)
        return ask(*server, m_key->text().trimmed().toUtf8());
    m_remote.servers().fetchKey(m_before.id, [self = QPointer(this), server = *server](
                                                 const QByteArray &key, const QString &problem) {
        if (!self)
            return;
        if (problem.isEmpty())
            return self->ask(server, key);
        self->m_test->setEnabled(true);
        self->say("error", asSentence(problem));
    });
}

void ServerDialog::ask(const RemoteServer &server, const QByteArray &key)
{
    m_query = m_remote.query(server, key, this);
    connect(m_query, &ModelQuery::finished, this, &ServerDialog::showListing);
}

void ServerDialog::showListing(const ModelListing &listing)
{
    constexpr int kShown = 8;
    m_test->setEnabled(true);
    if (m_query)
        m_query->deleteLater();
    if (!listing.problem.isEmpty())
        return say("error", asSentence(listing.problem));
    QStringList lines;
    for (const OfferedModel &model : listing.models.mid(0, kShown))
        lines += model.context > 0 ? tr("%1 (%2 tokens)").arg(model.name, countText(model.context))
                                   : model.name;
    if (listing.models.size() > kShown)
        lines += tr("… and %1 more").arg(countText(listing.models.size() - kShown));
    const QString kind = nameOf(listing.kind);
    const QString count = countText(listing.models.size());
    const QString head = kind.isEmpty() ? tr("It answers. Its models (%1):").arg(count)
                                        : tr("%1 answers. Its models (%2):").arg(kind, count);
    say("success", listing.models.isEmpty()
                       ? tr("It answers, but has no models.")
                       : head + QLatin1Char('\n') + lines.join(QLatin1Char('\n')));
}

void ServerDialog::save()
{
    std::optional<RemoteServer> server = entered();
    if (!server)
        return;
    const QByteArray key = m_key->text().trimmed().toUtf8();
    m_buttons->button(QDialogButtonBox::Save)->setEnabled(false);
    m_saving = m_remote.servers().store(*server, key.isEmpty() ? std::nullopt
                                                               : std::optional<QByteArray>(key));
}

void ServerDialog::say(const char *role, const QString &text)
{
    m_result->setProperty("role", role);
    m_result->style()->unpolish(m_result);
    m_result->style()->polish(m_result);
    m_result->setText(text);
}

} // namespace fireside
