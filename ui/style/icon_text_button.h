#pragma once
#include <QPushButton>

namespace fireside {

/// A button whose icon stands right before its text, in either direction of reading: style sheets
/// draw them apart where it is right to left.
class IconTextButton : public QPushButton
{
    Q_OBJECT
public:
    using QPushButton::QPushButton;

protected:
    void paintEvent(QPaintEvent *event) override;
};

} // namespace fireside
