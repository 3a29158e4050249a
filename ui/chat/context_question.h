#pragma once
#include "app/runtime/engine_types.h"

#include <QFrame>

#include <optional>

class QBoxLayout;
class QCheckBox;
class QLabel;

namespace fireside {

/// Asks what becomes of a chat that no longer fits into the model's context.
class ContextQuestion : public QFrame
{
    Q_OBJECT
public:
    explicit ContextQuestion(QWidget *parent = nullptr);

    void setShortage(const std::optional<ContextShortage> &shortage); // without: hidden
    void setAnswerable(bool answerable);                              // the model is ready

signals:
    void summariseChosen(bool always);
    void leaveOutChosen(bool always);
    void editChosen();

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    QLabel *m_text;
    QCheckBox *m_always;
    QWidget *m_buttons;
    QBoxLayout *m_row; // of the buttons; a column where it is narrow
};

} // namespace fireside
