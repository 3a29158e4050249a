#include "ui/tools/input_bar.h"

#include "ui/tools/input_form.h"

#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace fireside {
namespace {

/// May break anywhere.
QString breakable(const QString &text)
{
    QString html;
    for (const QChar c : text)
        html += QString(c).toHtmlEscaped() + QStringLiteral("&#8203;");
    return html;
}

/// The whole address, as it is sent, with the host in bold.
QString addressHtml(const QUrl &url)
{
    const QString whole = QString::fromLatin1(url.toEncoded());
    const QString host = url.host(QUrl::FullyEncoded);
    const qsizetype at = whole.indexOf(host, whole.indexOf(QLatin1String("//")));
    if (at < 0)
        return breakable(whole);
    return breakable(whole.left(at)) + QStringLiteral("<b>") + breakable(host) +
           QStringLiteral("</b>") + breakable(whole.mid(at + host.size()));
}

} // namespace

InputBar::InputBar(QWidget *parent)
    : QuestionBar("inputBar", parent)
    , m_message(plainLabel(""))
    , m_page(plainLabel(""))
    , m_scroll(new QScrollArea)
{
    m_message->setObjectName(QStringLiteral("inputMessage"));
    m_page->setObjectName(QStringLiteral("inputPage"));
    m_page->setTextFormat(Qt::RichText);
    auto *inside = new QWidget;
    m_inside = new QVBoxLayout(inside);
    m_inside->setContentsMargins(0, 0, 6, 0);
    m_inside->addWidget(m_message);
    m_inside->addWidget(m_page);
    m_scroll->setWidget(inside);
    for (QWidget *const one : {inside, m_scroll->viewport()}) // the card is behind them
        one->setAutoFillBackground(false);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    addContent(m_scroll);
    m_about = addLabel("muted");
    m_accept = addButton("inputAccept");
    m_accept->setProperty("role", "primary");
    m_decline =
        addButton("inputDecline", tr("&Decline"), tr("The server is told that you do not want to"));
    m_cancel =
        addButton("inputCancel", tr("&Cancel"), tr("The server is told that nothing was answered"));
    connect(m_accept, &QPushButton::clicked, this, &InputBar::accept);
    connect(m_decline, &QPushButton::clicked, this, [this] {
        emit answered(m_id, {InputAnswer::Decline, {}});
    });
    connect(m_cancel, &QPushButton::clicked, this, [this] {
        emit answered(m_id, {InputAnswer::Cancel, {}});
    });
}

bool InputBar::setEntry(const std::optional<InputQueue::Entry> &entry)
{
    setVisible(entry.has_value());
    if (!entry) {
        m_id = 0;
        return false;
    }
    const bool another = std::exchange(m_id, entry->id) != entry->id;
    if (another || m_request != entry->request) {
        m_request = entry->request;
        showRequest(m_request);
    }
    return another;
}

void InputBar::showRequest(const InputRequest &request)
{
    const QString server = request.server.left(100);
    const bool page = request.isPage();
    setQuestion(page ? tr("The tool server “%1” wants you to open a page:").arg(server)
                     : tr("The tool server “%1” asks:").arg(server));
    setAccessibleDescription(request.message);
    m_message->setText(request.message);
    m_message->setVisible(!request.message.isEmpty());
    m_page->setText(page ? addressHtml(request.page) : QString());
    m_page->setAccessibleName(request.page.toString(QUrl::FullyEncoded));
    m_page->setVisible(page);
    if (InputForm *const old = std::exchange(m_form, nullptr)) {
        old->hide();
        old->deleteLater();
    }
    if (!page && !request.fields.isEmpty()) {
        m_form = new InputForm(request.fields);
        m_inside->addWidget(m_form);
        connect(m_form, &InputForm::problemsChanged, this, &InputBar::fitHeight);
    }
    m_about->setText(
        !page ? tr("What you send goes to this server. Never enter passwords or keys "
                   "here.")
        : request.opened
            ? tr("When you are done in the browser, what was asked for is tried again.")
            : tr("It opens in your browser. What you do there is not seen by "
                 "Fireside."));
    m_accept->setText(!page            ? tr("&Send")
                      : request.opened ? tr("&Go on")
                                       : tr("&Open in the browser"));
    m_decline->setVisible(!request.opened);
    fitHeight();
}

/// As high as its content, up to a part of the window.
void InputBar::fitHeight()
{
    QWidget *const inside = m_scroll->widget();
    const int width = std::max(m_scroll->viewport()->width(), 100);
    const int wanted = inside->layout()->hasHeightForWidth()
                           ? inside->layout()->totalHeightForWidth(width)
                           : inside->sizeHint().height();
    m_scroll->setFixedHeight(std::min(wanted, std::max(120, window()->height() * 2 / 5)));
}

void InputBar::resizeEvent(QResizeEvent *event)
{
    QFrame::resizeEvent(event);
    fitHeight();
}

void InputBar::accept()
{
    InputAnswer answer{InputAnswer::Accept, {}};
    if (!m_request.isPage()) {
        const auto content = m_form ? m_form->content() : ToolJson::object();
        if (!content)
            return;
        answer.content = *content;
    }
    emit answered(m_id, answer);
}

void InputBar::focusQuestion()
{
    if (m_form)
        m_form->focusFirst();
    else
        m_cancel->setFocus(Qt::OtherFocusReason);
}

} // namespace fireside
