#include "ui/settings/load_form.h"

#include "app/settings/setting_values.h"

#include <QFormLayout>
#include <QLabel>

namespace fireside {

namespace {

constexpr int kOptionPadding = 14;

} // namespace

LoadForm::LoadForm(QWidget *parent)
    : QWidget(parent)
    , m_editors(QStringLiteral("load"), this)
{
    auto *form = new QFormLayout(this);
    form->setContentsMargins(0, 0, 0, 0);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setRowWrapPolicy(QFormLayout::WrapLongRows);
    for (const SettingEditor *editor : m_editors.all()) {
        QWidget *control = editor->control();
        auto *label = new QLabel(tr("%1:").arg(translated(editor->setting().label)), this);
        label->setBuddy(control);
        control->setMinimumHeight(control->fontMetrics().height() + kOptionPadding);
        control->setToolTip(translated(editor->setting().help));
        form->addRow(label, control);
    }
    m_editors.show({});
    m_editors.onEdited(this, [this] {
        if (m_editors.complete()) // a half-typed context is corrected when the field is left
            emit changed(settings());
    });
}

} // namespace fireside
