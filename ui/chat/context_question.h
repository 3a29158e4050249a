#pragma once
#include "app/runtime/engine_types.h"

#include <QFrame>

#include <optional>

class QCheckBox;
class QGridLayout;
class QLabel;
class QPushButton;

namespace fireside {

/// Asks what becomes of a chat that no longer fits into the model's context.
class ContextQuestion : public QFrame
{
    Q_OBJECT
public:
    explicit ContextQuestion(QWidget *parent = nullptr);

    void setShortage(const std::optional<ContextShortage> &shortage); // without: hidden
    /// The tokens for which there is room in the largest context of the model, where that is larger
    /// than the one it has; 0: there is none.
    void setLargestRoom(int tokens);
    void setAnswerable(bool answerable); // the model is ready

signals:
    void summariseChosen(bool always);
    void leaveOutChosen(bool always);
    void largerChosen(int tokens); // that the chat has
    void editChosen();

protected:
    void resizeEvent(QResizeEvent *event) override;
    void showEvent(QShowEvent *event) override;

private:
    QPushButton *addButton(const QString &text, const char *name, const QString &help);
    void arrange();

    QLabel *m_text;
    QCheckBox *m_always;
    QPushButton *m_summarise, *m_leaveOut, *m_larger, *m_edit;
    QWidget *m_buttons;
    QGridLayout *m_grid; // of the buttons; several rows where it is narrow
    int m_tokens = 0;
    bool m_alone = false;
    int m_largestRoom = 0;
};

} // namespace fireside
