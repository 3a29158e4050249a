#include "ui/help/help_dialog.h"

#include "app/help/help_pages.h"
#include "ui/style/theme.h"

#include <QDialogButtonBox>
#include <QScreen>
#include <QTextBrowser>
#include <QTextDocument>
#include <QTextTable>
#include <QVBoxLayout>

namespace fireside {
namespace {

/// Markdown says nothing of how tables look.
void ruleTables(QTextDocument &document)
{
    for (QTextFrame *frame : document.rootFrame()->childFrames()) {
        auto *table = qobject_cast<QTextTable *>(frame);
        if (!table)
            continue;
        QTextTableFormat format = table->format();
        format.setBorderCollapse(true);
        format.setBorder(1);
        format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
        format.setBorderBrush(Theme::current().border);
        format.setCellPadding(5);
        format.setTopMargin(6);
        format.setBottomMargin(6);
        table->setFormat(format);
    }
}

} // namespace

HelpDialog::HelpDialog(const QString &title, const QString &page, QWidget *parent)
    : QDialog(parent)
{
    setWindowTitle(title);
    setSizeGripEnabled(true);
    auto *text = new QTextBrowser(this);
    text->setObjectName(QStringLiteral("helpText"));
    text->setAccessibleName(title);
    text->setOpenLinks(false);
    text->setMarkdown(helpPage(page));
    ruleTables(*text->document());
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(text, 1);
    layout->addWidget(buttons);
    resize(QSize(760, 620).boundedTo(screen()->availableSize() * 0.9));
    text->setFocus();
}

} // namespace fireside
