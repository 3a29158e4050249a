#include "ui/tools/server_dialog.h"

#include "app/runtime/engine_text.h"
#include "app/tools/auth/authorizer.h"
#include "app/tools/tool_box.h"
#include "ui/style/text_fields.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace fireside {
namespace {

constexpr int kListLines = 4;

QPlainTextEdit *listField(const char *name, const QString &hint)
{
    auto *field = new PlainTextField;
    field->setObjectName(QLatin1String(name));
    field->setPlaceholderText(hint);
    field->setTabChangesFocus(true);
    field->setFixedHeight(kListLines * field->fontMetrics().lineSpacing() + 16);
    return field;
}

QString linesOf(const QList<QPair<QString, QString>> &pairs, const QString &mark)
{
    QStringList lines;
    for (const auto &[name, value] : pairs)
        lines += name + mark + value;
    return lines.join(QLatin1Char('\n'));
}

QList<QPair<QString, QString>> pairsOf(const QString &text, QChar mark, QString &problem)
{
    QList<QPair<QString, QString>> pairs;
    for (const QString &line : text.split(QLatin1Char('\n'))) {
        if (line.trimmed().isEmpty())
            continue;
        const qsizetype at = line.indexOf(mark);
        if (at < 1) {
            problem = ToolServerDialog::tr("“%1” has no “%2” in it").arg(line.left(60)).arg(mark);
            return pairs;
        }
        const QString value = line.mid(at + 1);
        pairs.append({line.left(at).trimmed(), mark == u':' ? value.trimmed() : value});
    }
    return pairs;
}

} // namespace

ToolServerDialog::ToolServerDialog(ToolBox &tools, const QString &formerName, QWidget *parent)
    : QDialog(parent)
    , m_tools(tools)
    , m_formerName(formerName)
{
    setWindowTitle(formerName.isEmpty() ? tr("Add a tool server")
                                        : tr("Tool server “%1”").arg(formerName));
    setSizeGripEnabled(true);
    auto *layout = new QVBoxLayout(this);
    m_form = new QFormLayout;
    m_form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    const auto line = [](const char *name, const QString &hint) {
        auto *field = new QLineEdit;
        field->setObjectName(QLatin1String(name));
        field->setPlaceholderText(hint);
        return field;
    };
    m_name = line("serverName", tr("files"));
    m_form->addRow(tr("&Name"), m_name);
    m_kind = new QComboBox;
    m_kind->setObjectName(QStringLiteral("serverKind"));
    m_kind->addItems({tr("A program on this computer"), tr("An address (HTTP)")});
    m_form->addRow(tr("&Kind"), m_kind);
    m_command = line("serverCommand", QStringLiteral("npx -y @modelcontextprotocol/server-…"));
    m_form->addRow(tr("&Command"), m_command);
    m_folder = line("serverFolder", tr("your home folder"));
    m_form->addRow(tr("Start &in"), m_folder);
    m_environment = listField("serverEnvironment", QStringLiteral("API_KEY=${env:API_KEY}"));
    m_form->addRow(tr("&Variables"), m_environment);
    m_url = line("serverUrl", QStringLiteral("https://example.org/mcp"));
    m_form->addRow(tr("&Address"), m_url);
    m_headers = listField("serverHeaders", QStringLiteral("Authorization: Bearer ${API_KEY}"));
    m_form->addRow(tr("&Headers"), m_headers);
    m_clientId = line("serverClientId", tr("only where the server demands one"));
    m_clientId->setToolTip(tr("What you have been given for programs that sign in there, or the "
                              "address of a document that describes Fireside. Mostly neither is "
                              "needed."));
    m_form->addRow(tr("Cli&ent ID"), m_clientId);
    m_clientSecret = line("serverClientSecret", QStringLiteral("${CLIENT_SECRET}"));
    m_clientSecret->setEchoMode(QLineEdit::PasswordEchoOnEdit);
    m_form->addRow(tr("Client &secret"), m_clientSecret);
    m_oldStream = new QCheckBox(tr("Only the &old way over HTTP (“sse”, before 2025)"));
    m_oldStream->setObjectName(QStringLiteral("serverOldStream"));
    m_form->addRow(QString(), m_oldStream);
    addSignOut();
    layout->addLayout(m_form);
    auto *about = new QLabel(
        tr("Programs get PATH, HOME, the language and the like, and what stands under Variables; "
           "nothing else of your environment. ${NAME} takes a value from it. A program that you "
           "start here can do whatever you can: add only what you trust."));
    about->setWordWrap(true);
    about->setProperty("role", "muted");
    layout->addWidget(about);
    m_problem = new QLabel;
    m_problem->setObjectName(QStringLiteral("serverProblem"));
    m_problem->setTextFormat(Qt::PlainText);
    m_problem->setWordWrap(true);
    m_problem->setProperty("role", "error");
    m_problem->hide();
    layout->addWidget(m_problem);
    layout->addStretch(1);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel);
    connect(buttons, &QDialogButtonBox::accepted, this, &ToolServerDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    layout->addWidget(buttons);
    connect(m_kind, &QComboBox::currentIndexChanged, this, &ToolServerDialog::showKind);
    const McpServer *const known = m_tools.server(formerName);
    m_before = known ? known->config() : McpServerConfig{};
    show(m_before);
    resize(sizeHint().expandedTo(QSize(560, 0)));
    m_name->setFocus();
}

void ToolServerDialog::addSignOut()
{
    const McpServer *const known = m_tools.server(m_formerName);
    if (!known || !known->authorizer() || !known->authorizer()->isSignedIn())
        return;
    auto *button = new QPushButton(tr("Sign o&ut"));
    button->setObjectName(QStringLiteral("serverSignOut"));
    button->setAutoDefault(false);
    m_form->addRow(tr("You are signed in"), button);
    connect(button, &QPushButton::clicked, this, [this, button] {
        m_tools.signOut(m_formerName);
        button->setEnabled(false);
    });
}

void ToolServerDialog::show(const McpServerConfig &config)
{
    m_name->setText(config.name);
    m_kind->setCurrentIndex(config.isRemote() ? 1 : 0);
    m_command->setText(joinedCommandLine(
        config.command.isEmpty() ? QStringList() : QStringList{config.command} + config.arguments));
    m_folder->setText(config.folder);
    m_environment->setPlainText(linesOf(config.environment, QStringLiteral("=")));
    m_url->setText(config.url);
    m_headers->setPlainText(linesOf(config.headers, QStringLiteral(": ")));
    m_clientId->setText(config.auth.clientId);
    m_clientSecret->setText(config.auth.clientSecret);
    m_oldStream->setChecked(config.oldStream);
    showKind();
}

void ToolServerDialog::showKind()
{
    const bool remote = m_kind->currentIndex() == 1;
    const auto setShown = [this](QWidget *field, bool shown) {
        field->setVisible(shown);
        if (QWidget *label = m_form->labelForField(field))
            label->setVisible(shown);
    };
    for (QWidget *field : {static_cast<QWidget *>(m_command), static_cast<QWidget *>(m_folder),
                           static_cast<QWidget *>(m_environment)})
        setShown(field, !remote);
    for (QWidget *field :
         {static_cast<QWidget *>(m_url), static_cast<QWidget *>(m_headers),
          static_cast<QWidget *>(m_clientId), static_cast<QWidget *>(m_clientSecret),
          static_cast<QWidget *>(m_oldStream)})
        setShown(field, remote);
}

McpServerConfig ToolServerDialog::entered(QString &problem) const
{
    McpServerConfig config{.name = m_name->text().simplified()};
    config.enabled = m_before.enabled;
    if (config.name.isEmpty() || config.name == kBuiltIn ||
        config.name.contains(QLatin1Char('/')) || config.name.size() > 100) {
        problem = tr("The server needs a name of its own, without /.");
        return config;
    }
    QString mistake;
    if (m_kind->currentIndex() == 0) {
        const QStringList words = splitCommandLine(m_command->text());
        config.command = words.value(0);
        config.arguments = words.mid(1);
        config.folder = m_folder->text().trimmed();
        config.environment = pairsOf(m_environment->toPlainText(), u'=', mistake);
    } else {
        config.url = m_url->text().trimmed();
        config.headers = pairsOf(m_headers->toPlainText(), u':', mistake);
        config.auth = m_before.auth;
        config.auth.clientId = m_clientId->text().trimmed();
        config.auth.clientSecret = m_clientSecret->text().trimmed();
        config.oldStream = m_oldStream->isChecked();
    }
    // As it is read again from the file.
    if (mistake.isEmpty())
        mistake =
            readServerConfig(config.name, writtenServerConfig(config, ToolJson::object())).problem;
    if (!mistake.isEmpty())
        problem = tr("It cannot be used like this: %1.").arg(mistake);
    return config;
}

void ToolServerDialog::complain(const QString &problem)
{
    m_problem->setText(asSentence(problem));
    m_problem->setAccessibleName(m_problem->text());
    m_problem->show();
}

void ToolServerDialog::accept()
{
    QString problem;
    const McpServerConfig config = entered(problem);
    if (problem.isEmpty())
        problem = m_tools.putServer(config, m_formerName);
    if (!problem.isEmpty())
        return complain(problem);
    QDialog::accept();
}

} // namespace fireside
