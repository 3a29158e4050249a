#include "ui/chat/link_dialog.h"

#include "app/network/connections.h"
#include "ui/transcript/section_document.h"

#include <QCoreApplication>
#include <QDesktopServices>
#include <QMessageBox>
#include <QPushButton>
#include <QUrl>

namespace fireside {
namespace {

class LinkTexts
{
    Q_DECLARE_TR_FUNCTIONS(fireside::LinkTexts)
};

} // namespace

void askToOpenLink(QWidget *parent, const QString &address, Connections &connections)
{
    if (!isSafeLink(address))
        return;
    const QUrl url(address, QUrl::StrictMode);
    auto *box = new QMessageBox(parent);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setObjectName(QStringLiteral("linkDialog"));
    box->setIcon(QMessageBox::Question);
    box->setWindowTitle(LinkTexts::tr("Open link"));
    box->setTextFormat(Qt::PlainText);
    box->setText(LinkTexts::tr("Open this address in the browser?"));
    // Fully encoded: look-alike letters in the host's name show as what they are.
    QString shown = QString::fromLatin1(url.toEncoded());
    if (shown.size() > 600)
        shown = shown.left(600) + QChar(0x2026);
    box->setInformativeText(shown);
    QPushButton *open = box->addButton(LinkTexts::tr("Open"), QMessageBox::AcceptRole);
    box->setDefaultButton(box->addButton(QMessageBox::Cancel));
    if (connections.offline()) {
        box->setText(
            LinkTexts::tr("Fireside is offline: it does not hand addresses to the browser."));
        open->setEnabled(false);
    }
    const QString purpose = LinkTexts::tr("link opened in the browser");
    QObject::connect(open, &QPushButton::clicked, box, [url, purpose, &connections] {
        if (connections.ask(url, purpose))
            QDesktopServices::openUrl(url);
    });
    box->open();
}

void openForTools(const QUrl &address, Connections &connections)
{
    if (connections.ask(address, LinkTexts::tr("page for a tool server opened in the browser")))
        QDesktopServices::openUrl(address);
}

} // namespace fireside
