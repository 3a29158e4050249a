#include "ui/tools/input_form.h"

#include "app/runtime/engine_text.h"
#include "app/tools/visible_text.h"
#include "ui/tools/question_bar.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace fireside {
namespace {

constexpr int kMostShown = 6, kBetweenChoices = 2;

/// An & of the server's is no key.
QString plainLabel(QString text)
{
    return text.simplified().replace(QLatin1Char('&'), QLatin1String("&&"));
}

QString nameOf(const InputField &field)
{
    return (field.title.isEmpty() ? visible(field.name) : field.title).simplified();
}

QVariant enteredIn(const InputField &field, const QWidget *editor)
{
    if (field.kind == InputField::Boolean)
        return static_cast<const QCheckBox *>(editor)->isChecked();
    if (field.kind == InputField::One)
        return static_cast<const QComboBox *>(editor)->currentData();
    if (field.kind != InputField::Several)
        return static_cast<const QLineEdit *>(editor)->text();
    QStringList chosen;
    const auto *const list = static_cast<const QListWidget *>(editor);
    for (int i = 0; i < list->count(); ++i)
        if (list->item(i)->checkState() == Qt::Checked)
            chosen += field.choices[i];
    return chosen;
}

} // namespace

InputForm::InputForm(const QList<InputField> &fields, QWidget *parent)
    : QWidget(parent)
{
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    for (const InputField &field : fields)
        addRow(field, *column);
}

QWidget *InputForm::editorFor(const InputField &field)
{
    if (field.kind == InputField::Boolean) {
        auto *box = new QCheckBox(plainLabel(nameOf(field)));
        box->setChecked(field.preset.toBool());
        return box;
    }
    if (field.kind == InputField::One) {
        auto *box = new QComboBox;
        const bool preset = field.preset.isValid();
        if (!field.required || !preset)
            box->addItem(field.required ? tr("Choose…") : tr("Nothing"), QString());
        for (qsizetype i = 0; i < field.choices.size(); ++i)
            box->addItem(field.labels[i], field.choices[i]);
        box->setCurrentIndex(preset ? box->findData(field.preset) : 0);
        return box;
    }
    if (field.kind == InputField::Several) {
        auto *list = new QListWidget;
        const QStringList preset = field.preset.toStringList();
        for (qsizetype i = 0; i < field.choices.size(); ++i) {
            auto *item = new QListWidgetItem(field.labels[i], list);
            item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
            item->setCheckState(preset.contains(field.choices[i]) ? Qt::Checked : Qt::Unchecked);
        }
        const int lines = std::clamp(list->count(), 1, kMostShown);
        list->setSpacing(kBetweenChoices);
        list->ensurePolished();
        list->setFixedHeight(lines * (list->sizeHintForRow(0) + 2 * kBetweenChoices) + 12);
        return list;
    }
    auto *line = new QLineEdit(field.preset.toString());
    line->setPlaceholderText(field.format == InputField::Date ? QStringLiteral("2026-12-31")
                             : field.format == InputField::DateTime
                                 ? QStringLiteral("2026-12-31T18:30:00Z")
                                 : QString());
    return line;
}

void InputForm::addRow(const InputField &field, QVBoxLayout &column)
{
    const auto label = [&](const QString &text, const char *role) {
        QLabel *const made = plainLabel(role, text);
        column.addWidget(made);
        return made;
    };
    if (field.kind != InputField::Boolean)
        label(field.required ? tr("%1 (required)").arg(nameOf(field)) : nameOf(field), "");
    QWidget *const editor = editorFor(field);
    editor->setObjectName(QStringLiteral("input %1").arg(field.name));
    editor->setAccessibleName(nameOf(field));
    editor->setAccessibleDescription(field.about);
    column.addWidget(editor);
    if (!field.about.isEmpty())
        label(field.about, "muted");
    QLabel *const problem = label(QString(), "error");
    problem->hide();
    column.addSpacing(4);
    m_rows.push_back({field, editor, problem});
    checkWhileWriting(m_rows.size() - 1);
}

/// Nobody is told that a text is wrong before it is whole.
void InputForm::checkWhileWriting(std::size_t row)
{
    const auto *const line = qobject_cast<QLineEdit *>(m_rows[row].editor);
    if (!line)
        return;
    connect(line, &QLineEdit::textChanged, this, [this, row] {
        if (!m_rows[row].problem->isHidden())
            checked(m_rows[row]);
    });
    connect(line, &QLineEdit::editingFinished, this, [this, row, line] {
        if (!line->text().isEmpty())
            checked(m_rows[row]);
    });
}

/// And says what is wrong.
std::optional<ToolJson> InputForm::checked(const Row &row)
{
    QString problem;
    auto value = checkedInput(row.field, enteredIn(row.field, row.editor), problem);
    problem = asSentence(problem);
    if (row.problem->text() == problem && row.problem->isHidden() == problem.isEmpty())
        return value;
    row.problem->setText(problem);
    row.problem->setVisible(!problem.isEmpty());
    row.editor->setAccessibleDescription(problem.isEmpty() ? row.field.about : problem);
    layout()->activate(); // what holds it asks for its height now
    updateGeometry();
    emit problemsChanged();
    return value;
}

std::optional<ToolJson> InputForm::content()
{
    ToolJson content = ToolJson::object();
    QWidget *wrong = nullptr;
    for (const Row &row : m_rows) {
        const auto value = checked(row);
        if (!value && !wrong)
            wrong = row.editor;
        if (value && !value->is_null())
            content[row.field.name.toStdString()] = *value;
    }
    if (wrong)
        wrong->setFocus(Qt::OtherFocusReason);
    return wrong ? std::nullopt : std::optional(content);
}

void InputForm::focusFirst()
{
    if (!m_rows.empty())
        m_rows.front().editor->setFocus(Qt::OtherFocusReason);
}

} // namespace fireside
