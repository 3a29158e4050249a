#include "ui/help/help_dialog.h"

#include "app/help/help_pages.h"
#include "ui/help/help_text.h"
#include "ui/style/language.h"

#include <QDialogButtonBox>
#include <QScreen>
#include <QTextBrowser>
#include <QVBoxLayout>

namespace fireside {

HelpDialog::HelpDialog(const QString &title, const QString &page, QWidget *parent)
    : QDialog(parent)
{
    setWindowTitle(title);
    setSizeGripEnabled(true);
    auto *text = new QTextBrowser(this);
    text->setObjectName(QStringLiteral("helpText"));
    text->setAccessibleName(title);
    text->setOpenLinks(false);
    fillHelp(*text->document(), helpPage(page, Language::current()));
    text->moveCursor(QTextCursor::Start); // it is brought into view
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(text, 1);
    layout->addWidget(buttons);
    resize(QSize(760, 620).boundedTo(screen()->availableSize() * 0.9));
    text->setFocus();
}

void HelpDialog::show(const QString &title, const QString &page, QWidget *parent)
{
    auto *dialog = new HelpDialog(title, page, parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

} // namespace fireside
