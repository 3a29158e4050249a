#include "ui/settings/setting_spin_box.h"

#include "app/settings/setting_values.h"
#include "ui/style/page_wheel.h"

#include <algorithm>

namespace fireside {

SettingSpinBox::SettingSpinBox(const Setting &setting, QWidget *parent)
    : QSpinBox(parent)
    , m_low(static_cast<int>(setting.low))
    , m_step(static_cast<int>(setting.step))
{
    setRange(setting.orZero ? 0 : m_low, static_cast<int>(setting.high));
    setSpecialValueText(translated(setting.lowest));
    setSuffix(translated(setting.unit));
    setGroupSeparatorShown(true);
    setKeyboardTracking(false);
    PageWheel::leaveToPage(this);
    connect(this, &QSpinBox::editingFinished, this, [this] {
        if (value() > minimum() && value() < m_low)
            setValue(m_low);
    });
}

int SettingSpinBox::next(int value) const
{
    if (value < m_low)
        return m_low;
    const int step = m_step > 0 ? m_step : std::max(1, value);
    return value > maximum() - step ? maximum() : value + step;
}

int SettingSpinBox::previous(int value) const
{
    if (value <= m_low)
        return minimum();
    return std::max(m_step > 0 ? value - m_step : value / 2, m_low);
}

void SettingSpinBox::stepBy(int steps)
{
    int number = value();
    for (; steps > 0; --steps)
        number = next(number);
    for (; steps < 0; ++steps)
        number = previous(number);
    setValue(number);
}

QSize SettingSpinBox::sizeHint() const
{
    // Where there is a style sheet Qt does not ask the style what else it leaves beside a number.
    constexpr int kBesideNumber = 8; // px
    return QSpinBox::sizeHint() + QSize(kBesideNumber, 0);
}

QAbstractSpinBox::StepEnabled SettingSpinBox::stepEnabled() const
{
    StepEnabled steps = StepNone;
    if (value() > minimum())
        steps |= StepDownEnabled;
    if (value() < maximum())
        steps |= StepUpEnabled;
    return steps;
}

} // namespace fireside
