#include "ui/settings/load_form.h"

#include "app/settings/setting_values.h"
#include "ui/settings/device_list.h"
#include "ui/style/icons.h"

#include <QCheckBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

namespace fireside {

namespace {

constexpr int kOptionPadding = 14;

QFormLayout *newForm(QWidget *parent)
{
    auto *form = new QFormLayout(parent);
    form->setContentsMargins(0, 0, 0, 0);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setRowWrapPolicy(QFormLayout::WrapLongRows);
    return form;
}

} // namespace

LoadForm::LoadForm(QWidget *parent)
    : QWidget(parent)
    , m_editors(QStringLiteral("load"), this)
    , m_places(QStringLiteral("placement"), this)
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    auto *fields = new QWidget(this);
    QFormLayout *form = newForm(fields);
    for (const SettingEditor *editor : m_editors.all())
        addRow(form, *editor);
    layout->addWidget(fields);

    m_expander = new QToolButton(this);
    m_expander->setObjectName(QStringLiteral("placementExpander"));
    m_expander->setText(tr("Wher&e it may run"));
    m_expander->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_expander->setAutoRaise(true);
    m_expander->setCheckable(true);
    m_expander->setFocusPolicy(Qt::StrongFocus);
    m_expander->setIcon(icon(IconName::ChevronRight));
    layout->addWidget(m_expander);
    QWidget *places = buildPlaces();
    places->hide();
    layout->addWidget(places);
    connect(m_expander, &QToolButton::toggled, this, [this, places](bool open) {
        m_expander->setIcon(icon(open ? IconName::ChevronDown : IconName::ChevronRight));
        places->setVisible(open);
    });

    m_reset = new QPushButton(this);
    m_reset->setObjectName(QStringLiteral("loadReset"));
    m_reset->setAutoDefault(false);
    connect(m_reset, &QPushButton::clicked, this, &LoadForm::reset);
    layout->addWidget(m_reset, 0, Qt::AlignLeft);

    m_editors.show({});
    m_places.show({});
    setDefaults({}, tr("&Use defaults"));
    m_editors.onEdited(this, &LoadForm::tellChanged);
    m_places.onEdited(this, &LoadForm::tellChanged);
}

QWidget *LoadForm::buildPlaces()
{
    auto *places = new QWidget(this);
    QFormLayout *form = newForm(places);
    for (const SettingEditor *editor : m_places.all())
        addRow(form, *editor);
    return places;
}

void LoadForm::addRow(QFormLayout *form, const SettingEditor &editor)
{
    QWidget *control = editor.control();
    control->setToolTip(translated(editor.setting().help));
    if (qobject_cast<QCheckBox *>(control)) { // has its own words
        form->addRow(control);
        return;
    }
    auto *label =
        new QLabel(tr("%1:").arg(translated(editor.setting().label)), form->parentWidget());
    label->setBuddy(control);
    if (qobject_cast<DeviceList *>(control)) {
        form->addRow(label);
        form->addRow(control);
        return;
    }
    control->setMinimumHeight(control->fontMetrics().height() + kOptionPadding);
    form->addRow(label, control);
}

LoadSettings LoadForm::settings() const
{
    LoadSettings settings = m_editors.shown();
    settings.placement = m_places.shown();
    return settings;
}

void LoadForm::setSettings(const LoadSettings &settings)
{
    m_editors.show(settings);
    m_places.show(settings.placement);
    m_reset->setEnabled(this->settings() != m_defaults);
}

void LoadForm::setDevices(const QList<DeviceStatus> &devices)
{
    for (const SettingEditor *editor : m_places.all())
        if (auto *list = qobject_cast<DeviceList *>(editor->control()))
            list->setDevices(devices);
}

void LoadForm::setDefaults(const LoadSettings &defaults, const QString &text)
{
    m_defaults = defaults;
    m_reset->setText(text);
    m_reset->setEnabled(settings() != m_defaults);
}

void LoadForm::setPlacesShown(bool shown)
{
    m_expander->setChecked(shown);
}

void LoadForm::focusEnd()
{
    (m_reset->isEnabled() ? static_cast<QWidget *>(m_reset) : m_expander)->setFocus();
}

void LoadForm::reset()
{
    setSettings(m_defaults);
    emit changed(settings());
}

void LoadForm::tellChanged()
{
    // A half-typed context is corrected when the field is left.
    if (!m_editors.complete() || !m_places.complete())
        return;
    m_reset->setEnabled(settings() != m_defaults);
    emit changed(settings());
}

} // namespace fireside
