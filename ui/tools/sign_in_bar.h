#pragma once
#include "ui/tools/question_bar.h"

#include <QString>

namespace fireside {

class ToolBox;

/// Offers to sign in where a server of tools wants that; nothing is opened before the button that
/// names the host was pressed.
class SignInBar : public QuestionBar
{
    Q_OBJECT
public:
    explicit SignInBar(QWidget *parent = nullptr);

    void follow(ToolBox &tools);

private:
    void showOffer();

    ToolBox *m_tools = nullptr;
    QString m_server; // in view
    QLabel *m_about, *m_problem;
    QPushButton *m_signIn, *m_copy, *m_decline;
};

} // namespace fireside
