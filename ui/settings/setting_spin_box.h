#pragma once
#include "app/settings/setting.h"

#include <QSpinBox>

namespace fireside {

/// The whole number of a setting: steps by adding or by doubling, jumps the gap between 0 and the
/// lowest other number, and corrects what was typed into the gap when it is left.
class SettingSpinBox : public QSpinBox
{
    Q_OBJECT
public:
    SettingSpinBox(const Setting &setting, QWidget *parent);
    void stepBy(int steps) override;
    QSize sizeHint() const override;

protected:
    StepEnabled stepEnabled() const override;

private:
    int next(int value) const;
    int previous(int value) const;

    int m_low;  // besides 0
    int m_step; // 0: doubles
};

} // namespace fireside
