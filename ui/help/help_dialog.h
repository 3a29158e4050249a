#pragma once
#include <QDialog>

namespace fireside {

/// A page of the help, to be read.
class HelpDialog : public QDialog
{
    Q_OBJECT
public:
    HelpDialog(const QString &title, const QString &page, QWidget *parent = nullptr);

    /// Over `parent`, until it is closed.
    static void show(const QString &title, const QString &page, QWidget *parent);
};

} // namespace fireside
