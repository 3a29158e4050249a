#pragma once
#include <QToolButton>

namespace fireside {

/// A flat button with a text, which is cut with "…" where space is short. What it says to a screen
/// reader must be set besides.
class TextToolButton : public QToolButton
{
    Q_OBJECT
public:
    explicit TextToolButton(QWidget *parent = nullptr);

    QSize minimumSizeHint() const override;

protected:
    void initStyleOption(QStyleOptionToolButton *option) const override;
};

} // namespace fireside
