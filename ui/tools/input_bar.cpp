#include "ui/tools/input_bar.h"

#include "ui/tools/input_form.h"

#include <QHBoxLayout>
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
    : QFrame(parent)
{
    setProperty("role", "card");
    setObjectName(QStringLiteral("inputBar"));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(14, 10, 14, 10);
    column->setSpacing(6);
    const auto label = [](const char *role, Qt::TextFormat format, QVBoxLayout *layout) {
        auto *made = new QLabel;
        made->setTextFormat(format);
        made->setWordWrap(true);
        made->setProperty("role", role);
        layout->addWidget(made);
        return made;
    };
    m_text = label("heading", Qt::PlainText, column);
    auto *inside = new QWidget;
    m_content = new QVBoxLayout(inside);
    m_content->setContentsMargins(0, 0, 6, 0);
    m_message = label("", Qt::PlainText, m_content);
    m_message->setObjectName(QStringLiteral("inputMessage"));
    m_page = label("", Qt::RichText, m_content);
    m_page->setObjectName(QStringLiteral("inputPage"));
    m_scroll = new QScrollArea;
    m_scroll->setWidget(inside);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    column->addWidget(m_scroll);
    m_about = label("muted", Qt::PlainText, column);
    auto *row = new QHBoxLayout;
    const auto add = [&](const char *name) {
        auto *button = new QPushButton;
        button->setObjectName(QLatin1String(name));
        row->addWidget(button);
        return button;
    };
    m_accept = add("inputAccept");
    m_accept->setProperty("role", "primary");
    m_decline = add("inputDecline");
    m_decline->setText(tr("&Decline"));
    m_decline->setToolTip(tr("The server is told that you do not want to"));
    m_cancel = add("inputCancel");
    m_cancel->setText(tr("&Cancel"));
    m_cancel->setToolTip(tr("The server is told that nothing was answered"));
    row->addStretch(1);
    column->addLayout(row);
    connect(m_accept, &QPushButton::clicked, this, &InputBar::accept);
    connect(m_decline, &QPushButton::clicked, this, [this] {
        emit answered(m_id, {InputAnswer::Decline, {}});
    });
    connect(m_cancel, &QPushButton::clicked, this, [this] {
        emit answered(m_id, {InputAnswer::Cancel, {}});
    });
    hide();
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
    m_text->setText(page ? tr("The tool server “%1” wants you to open a page:").arg(server)
                         : tr("The tool server “%1” asks:").arg(server));
    setAccessibleName(m_text->text());
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
        m_content->addWidget(m_form);
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
        fitHeight(); // with what is wrong
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
