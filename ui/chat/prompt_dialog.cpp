#include "ui/chat/prompt_dialog.h"

#include "ui/style/text_fields.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QScreen>
#include <QSplitter>
#include <QStandardPaths>
#include <QVBoxLayout>

namespace fireside {

PromptDialog::PromptDialog(PromptStore &store, QWidget *parent)
    : QDialog(parent)
    , m_store(store)
{
    setObjectName(QStringLiteral("promptDialog"));
    setWindowTitle(tr("Prompts"));
    setSizeGripEnabled(true);
    auto *split = new QSplitter(this);
    split->setChildrenCollapsible(false);
    split->addWidget(makeList());
    split->addWidget(makeEditor());
    split->setStretchFactor(1, 1);
    m_note = new QLabel(this);
    m_note->setObjectName(QStringLiteral("promptNote"));
    m_note->setTextFormat(Qt::PlainText);
    m_note->setWordWrap(true);
    m_note->setProperty("role", "muted");
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    m_use = buttons->addButton(tr("&Use"), QDialogButtonBox::ActionRole);
    m_use->setObjectName(QStringLiteral("promptUse"));
    m_use->setProperty("role", "primary");
    m_delete = buttons->addButton(tr("&Delete"), QDialogButtonBox::ActionRole);
    m_delete->setObjectName(QStringLiteral("promptDelete"));
    auto *import = buttons->addButton(tr("&Import…"), QDialogButtonBox::ActionRole);
    m_export = buttons->addButton(tr("&Export…"), QDialogButtonBox::ActionRole);
    for (QAbstractButton *button : buttons->buttons())
        static_cast<QPushButton *>(button)->setAutoDefault(false);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_use, &QPushButton::clicked, this, &PromptDialog::use);
    connect(m_delete, &QPushButton::clicked, this, &PromptDialog::remove);
    connect(import, &QPushButton::clicked, this, &PromptDialog::importPrompts);
    connect(m_export, &QPushButton::clicked, this, &PromptDialog::exportPrompts);
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(split, 1);
    layout->addWidget(m_note);
    layout->addWidget(buttons);
    say(m_store.problem());
    fill();
    resize(QSize(820, 520).boundedTo(screen()->availableSize() * 0.9));
}

QWidget *PromptDialog::makeList()
{
    auto *side = new QWidget(this);
    auto *column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 8, 0);
    m_search = new LineField(side);
    m_search->setObjectName(QStringLiteral("promptSearch"));
    m_search->setPlaceholderText(tr("Search prompts"));
    m_search->setAccessibleName(tr("Search prompts"));
    m_list = new QListWidget(side);
    m_list->setObjectName(QStringLiteral("promptList"));
    m_list->setAccessibleName(tr("Prompts"));
    auto *create = new QPushButton(tr("&New prompt"), side);
    create->setObjectName(QStringLiteral("promptNew"));
    create->setAutoDefault(false);
    column->addWidget(m_search);
    column->addWidget(m_list, 1);
    column->addWidget(create);
    connect(m_search, &QLineEdit::textChanged, this, [this] {
        keep();
        fill();
    });
    connect(m_list, &QListWidget::currentItemChanged, this, [this] {
        if (m_showing)
            return;
        keep();
        showPrompt();
    });
    connect(m_list, &QListWidget::itemActivated, this, &PromptDialog::use);
    connect(create, &QPushButton::clicked, this, &PromptDialog::add);
    return side;
}

QWidget *PromptDialog::makeEditor()
{
    auto *side = new QWidget(this);
    auto *form = new QFormLayout(side);
    form->setContentsMargins(8, 0, 0, 0);
    form->setFieldGrowthPolicy(QFormLayout::ExpandingFieldsGrow);
    m_name = new LineField(side);
    m_name->setObjectName(QStringLiteral("promptName"));
    m_name->setMaxLength(80);
    m_kind = new QComboBox(side);
    m_kind->setObjectName(QStringLiteral("promptKind"));
    m_kind->addItems({tr("A message"), tr("The chat's system prompt")});
    m_text = new PlainTextField(side);
    m_text->setObjectName(QStringLiteral("promptText"));
    m_text->setTabChangesFocus(true);
    m_text->setAccessibleName(tr("Text"));
    m_text->setPlaceholderText(tr("Translate into {{language}}:"));
    m_variables = new QLabel(side);
    m_variables->setTextFormat(Qt::PlainText);
    m_variables->setWordWrap(true);
    m_variables->setProperty("role", "muted");
    form->addRow(tr("N&ame"), m_name);
    form->addRow(tr("&For"), m_kind);
    form->addRow(tr("&Text"), m_text);
    form->addRow(QString(), m_variables);
    const auto changed = [this] {
        m_changed |= !m_showing;
        updateButtons();
    };
    connect(m_name, &QLineEdit::textChanged, this, changed);
    connect(m_kind, &QComboBox::currentIndexChanged, this, changed);
    connect(m_text, &QPlainTextEdit::textChanged, this, changed);
    return side;
}

void PromptDialog::fill()
{
    {
        const QScopedValueRollback<bool> showing(m_showing, true);
        m_list->clear();
        for (const Prompt &prompt : m_store.matching(m_search->text())) {
            m_list->addItem(prompt.name);
            if (prompt.name == m_current)
                m_list->setCurrentRow(m_list->count() - 1);
        }
        if (m_list->currentRow() < 0 && m_list->count() > 0)
            m_list->setCurrentRow(0);
    }
    showPrompt();
}

void PromptDialog::showPrompt()
{
    const QScopedValueRollback<bool> showing(m_showing, true);
    const QListWidgetItem *item = m_list->currentItem();
    Prompt shown;
    for (const Prompt &prompt : m_store.prompts())
        if (item && prompt.name == item->text())
            shown = prompt;
    m_current = shown.name;
    m_changed = false;
    m_name->setText(shown.name);
    m_kind->setCurrentIndex(shown.system ? 1 : 0);
    m_text->setPlainText(shown.text);
    updateButtons();
}

/// What was written is stored; a prompt without text is none.
void PromptDialog::keep()
{
    if (!m_changed || m_text->toPlainText().trimmed().isEmpty())
        return;
    m_changed = false;
    m_current = m_store.save(m_current,
                             {m_name->text(), m_text->toPlainText(), m_kind->currentIndex() == 1});
    if (!m_store.problem().isEmpty())
        say(m_store.problem());
    const QString chosen = m_list->currentItem() ? m_list->currentItem()->text() : QString();
    const QScopedValueRollback<bool> showing(m_showing, true);
    m_list->clear();
    for (const Prompt &prompt : m_store.matching(m_search->text())) {
        m_list->addItem(prompt.name);
        if (prompt.name == chosen)
            m_list->setCurrentRow(m_list->count() - 1);
    }
}

void PromptDialog::add()
{
    keep();
    const QScopedValueRollback<bool> showing(m_showing, true);
    m_list->setCurrentRow(-1);
    m_current.clear();
    m_name->clear();
    m_text->clear();
    m_kind->setCurrentIndex(0);
    m_changed = false;
    updateButtons();
    m_name->setFocus();
}

void PromptDialog::remove()
{
    const QString name = m_current;
    m_changed = false;
    m_store.remove(name);
    say(tr("“%1” was deleted.").arg(name));
    m_current.clear();
    fill();
    m_list->setFocus();
}

void PromptDialog::use()
{
    keep();
    const Prompt prompt{m_name->text(), m_text->toPlainText(), m_kind->currentIndex() == 1};
    if (prompt.text.trimmed().isEmpty())
        return;
    accept();
    emit used(prompt);
}

void PromptDialog::importPrompts()
{
    keep();
    auto *dialog =
        new QFileDialog(this, tr("Import prompts"),
                        QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setNameFilters({tr("Prompts (*.json)"), tr("All files (*)")});
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString &path) {
        const int count = m_store.importFrom(path);
        say(count < 0 ? m_store.problem() : tr("Prompts imported: %1.").arg(count));
        fill();
    });
    dialog->open();
}

void PromptDialog::exportPrompts()
{
    keep();
    auto *dialog =
        new QFileDialog(this, tr("Export prompts"),
                        QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("json"));
    dialog->setNameFilters({tr("Prompts (*.json)")});
    dialog->selectFile(tr("prompts") + QStringLiteral(".json"));
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString &path) {
        say(m_store.exportTo(path) ? tr("Exported as %1.").arg(path) : m_store.problem());
    });
    dialog->open();
}

void PromptDialog::updateButtons()
{
    const QString text = m_text->toPlainText();
    const QStringList names = promptVariables(text);
    m_variables->setText(
        names.isEmpty() ? tr("What stands in double braces, like {{language}}, is asked for when "
                             "the prompt is used.")
                        : tr("Asked for when it is used: %1").arg(names.join(u", ")));
    m_use->setEnabled(!text.trimmed().isEmpty());
    m_delete->setEnabled(!m_current.isEmpty());
    m_export->setEnabled(!m_store.prompts().isEmpty());
}

void PromptDialog::say(const QString &text)
{
    m_note->setText(text);
    m_note->setVisible(!text.isEmpty());
}

void PromptDialog::done(int result)
{
    keep();
    QDialog::done(result);
}

} // namespace fireside
