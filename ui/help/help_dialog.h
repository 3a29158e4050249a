#pragma once
#include <QDialog>

namespace fireside {

/// A page of the help, to be read.
class HelpDialog : public QDialog
{
    Q_OBJECT
public:
    HelpDialog(const QString &title, const QString &page, QWidget *parent = nullptr);
};

} // namespace fireside
