#include "ui/settings/setting_editor.h"

#include "app/settings/setting_values.h"
#include "ui/settings/device_list.h"
#include "ui/settings/setting_spin_box.h"
#include "ui/settings/stop_strings.h"
#include "ui/style/page_wheel.h"
#include "ui/style/text_fields.h"

#include <QButtonGroup>
#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QRadioButton>
#include <QRegularExpressionValidator>
#include <QVBoxLayout>

#include <limits>

namespace fireside {
namespace {

constexpr int kListLetters = 12; // long choices must not widen the picker
constexpr int kTextPadding = 24;

QString capitalised(QString word)
{
    if (!word.isEmpty())
        word[0] = word[0].toUpper();
    return word;
}

} // namespace

SettingEditor::SettingEditor(const Setting &setting, const SettingValue &like,
                             const QString &prefix, QWidget *parent)
    : QObject(parent)
    , m_setting(setting)
    , m_name(prefix.isEmpty() ? QString::fromLatin1(setting.key)
                              : prefix + capitalised(QString::fromLatin1(setting.key)))
{
    const bool large = setting.high > std::numeric_limits<int>::max();
    if (std::holds_alternative<bool>(like))
        makeFlag(parent);
    else if (std::holds_alternative<std::int64_t>(like))
        large ? makeDigits(parent) : makeInteger(parent);
    else if (std::holds_alternative<double>(like))
        makeReal(parent);
    else if (setting.asDevices)
        makeDevices(parent);
    else if (setting.choices.empty())
        makeText(parent, std::holds_alternative<std::vector<std::string>>(like));
    else
        setting.asButtons ? makeButtons(parent) : makeList(parent);
    m_control->setObjectName(m_name);
    m_control->setAccessibleName(title());
    m_control->setAccessibleDescription(translated(setting.help));
}

QString SettingEditor::title() const
{
    return translated(m_setting.label).remove(QLatin1Char('&'));
}

void SettingEditor::setValue(const SettingValue &value)
{
    m_showing = true;
    m_show(value);
    m_showing = false;
}

void SettingEditor::tellEdited()
{
    if (!m_showing)
        emit edited();
}

void SettingEditor::makeFlag(QWidget *parent)
{
    auto *box = new QCheckBox(translated(m_setting.label), parent);
    box->setToolTip(translated(m_setting.help));
    m_control = box;
    m_value = [box] { return box->isChecked(); };
    m_show = [box](const SettingValue &value) { box->setChecked(std::get<bool>(value)); };
    connect(box, &QCheckBox::toggled, this, &SettingEditor::tellEdited);
}

void SettingEditor::makeInteger(QWidget *parent)
{
    auto *box = new SettingSpinBox(m_setting, parent);
    m_control = box;
    m_value = [box] { return std::int64_t{box->value()}; };
    m_show = [box](const SettingValue &value) {
        box->setValue(static_cast<int>(std::get<std::int64_t>(value)));
    };
    connect(box, &QSpinBox::valueChanged, this, &SettingEditor::tellEdited);
}

void SettingEditor::makeDigits(QWidget *parent)
{
    auto *field = new LineField(parent);
    field->setPlaceholderText(translated(m_setting.lowest));
    // Eighteen digits always fit into 63 bits.
    field->setValidator(
        new QRegularExpressionValidator(QRegularExpression(QStringLiteral("[0-9]{0,18}")), field));
    m_control = field;
    const auto lowest = static_cast<std::int64_t>(m_setting.low);
    m_value = [field, lowest] {
        return field->text().isEmpty() ? lowest : std::int64_t{field->text().toLongLong()};
    };
    m_show = [field, lowest](const SettingValue &value) {
        const auto number = std::get<std::int64_t>(value);
        field->setText(number == lowest ? QString()
                                        : QString::number(static_cast<qlonglong>(number)));
    };
    connect(field, &QLineEdit::textChanged, this, &SettingEditor::tellEdited);
}

void SettingEditor::makeReal(QWidget *parent)
{
    auto *box = new QDoubleSpinBox(parent);
    PageWheel::leaveToPage(box);
    box->setRange(m_setting.low, m_setting.high);
    box->setDecimals(2);
    box->setSingleStep(m_setting.step);
    m_control = box;
    m_value = [box] { return box->value(); };
    m_show = [box](const SettingValue &value) { box->setValue(std::get<double>(value)); };
    connect(box, &QDoubleSpinBox::valueChanged, this, &SettingEditor::tellEdited);
}

void SettingEditor::makeList(QWidget *parent)
{
    auto *box = new QComboBox(parent);
    PageWheel::leaveToPage(box);
    for (const SettingChoice &choice : m_setting.choices)
        box->addItem(translated(choice.label), QString::fromLatin1(choice.word));
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(kListLetters);
    m_control = box;
    m_value = [box] { return box->currentData().toString().toStdString(); };
    m_show = [box](const SettingValue &value) {
        box->setCurrentIndex(box->findData(QString::fromStdString(std::get<std::string>(value))));
    };
    connect(box, &QComboBox::currentIndexChanged, this, &SettingEditor::tellEdited);
}

void SettingEditor::makeButtons(QWidget *parent)
{
    m_control = new QWidget(parent);
    auto *layout = new QVBoxLayout(m_control);
    layout->setContentsMargins(0, 0, 0, 0);
    auto *group = new QButtonGroup(m_control);
    for (const SettingChoice &choice : m_setting.choices) {
        auto *button = new QRadioButton(translated(choice.label), m_control);
        button->setObjectName(m_name + capitalised(QString::fromLatin1(choice.word)));
        group->addButton(button, static_cast<int>(&choice - m_setting.choices.data()));
        layout->addWidget(button);
    }
    m_value = [group, choices = m_setting.choices] {
        return std::string(choices[static_cast<std::size_t>(group->checkedId())].word);
    };
    m_show = [group, choices = m_setting.choices](const SettingValue &value) {
        for (std::size_t i = 0; i < choices.size(); ++i) {
            if (choices[i].word == std::get<std::string>(value))
                group->button(static_cast<int>(i))->setChecked(true);
        }
    };
    connect(group, &QButtonGroup::idClicked, this, &SettingEditor::tellEdited);
}

void SettingEditor::makeText(QWidget *parent, bool manyTexts)
{
    auto *field = new PlainTextField(parent);
    field->setTabChangesFocus(true);
    field->setFixedHeight(field->fontMetrics().lineSpacing() * m_setting.lines + kTextPadding);
    field->setPlaceholderText(translated(m_setting.example));
    m_control = field;
    m_value = [field, manyTexts]() -> SettingValue {
        if (manyTexts)
            return toStrings(parseStopStrings(field->toPlainText()));
        return field->toPlainText().toStdString();
    };
    m_show = [field, manyTexts](const SettingValue &value) {
        field->setPlainText(
            manyTexts ? formatStopStrings(toStringList(std::get<std::vector<std::string>>(value)))
                      : QString::fromStdString(std::get<std::string>(value)));
    };
    connect(field, &QPlainTextEdit::textChanged, this, &SettingEditor::tellEdited);
}

void SettingEditor::makeDevices(QWidget *parent)
{
    auto *list = new DeviceList(parent);
    m_control = list;
    m_value = [list]() -> SettingValue { return list->value(); };
    m_show = [list](const SettingValue &value) {
        list->setValue(std::get<std::vector<std::string>>(value));
    };
    connect(list, &DeviceList::edited, this, &SettingEditor::tellEdited);
}

} // namespace fireside
