// What is selected, and what of it goes to the clipboard.
#include "app/chat/chat_texts.h"
#include "ui/transcript/markdown_html.h"
#include "ui/transcript/message_toolbar.h"
#include "ui/transcript/transcript_view.h"

#include <QApplication>
#include <QClipboard>
#include <QMenu>
#include <QMimeData>

#include <algorithm>

namespace fireside {

namespace {

const QString kMessageGap = QStringLiteral("\n\n");

} // namespace

void TranscriptView::clearSelection()
{
    m_selectionStart = m_selectionEnd = {};
}

void TranscriptView::selectMessages(int first, int last)
{
    if (m_items.empty())
        return;
    m_selectionStart = {first, m_items[size_t(first)]->everything().first};
    m_selectionEnd = {last, m_items[size_t(last)]->everything().second};
    viewport()->update();
}

/// The focused message, and once that is selected all of them.
void TranscriptView::selectMore()
{
    if (m_items.empty())
        return;
    const int item = m_focused >= 0 ? m_focused : count() - 1;
    const auto [from, to] = m_items[size_t(item)]->everything();
    const bool again = m_selectionStart == Place{item, from} && m_selectionEnd == Place{item, to};
    selectMessages(again ? 0 : item, again ? count() - 1 : item);
}

/// Message by message: the selection goes from where it began to the message in focus.
void TranscriptView::extendSelection(int step)
{
    if (m_items.empty())
        return;
    const int from = m_focused >= 0 ? m_focused : count() - 1;
    if (!hasSelection() || m_anchor < 0 || m_anchor >= count()) {
        m_anchor = from;
        focusMessage(from);
    } else {
        focusMessage(std::clamp(from + step, 0, count() - 1));
    }
    selectMessages(std::min(m_anchor, m_focused), std::max(m_anchor, m_focused));
}

/// Of each message that has a part in the selection.
QStringList TranscriptView::selectedParts(CopyFormat format) const
{
    QStringList texts;
    if (!hasSelection())
        return texts;
    const auto [from, to] = std::minmax(m_selectionStart, m_selectionEnd);
    for (int i = from.item; i <= to.item && i < count(); ++i) {
        MessageItem &item = *m_items[size_t(i)];
        const TextPosition begin = i == from.item ? from.position : TextPosition{0, 0};
        const TextPosition end = i == to.item ? to.position : TextPosition{1 << 30, 1 << 30};
        const QString text = format == CopyFormat::Plain ? item.textBetween(begin, end)
                                                         : item.sourceBetween(begin, end);
        texts += withName(item, text, format, m_copyNames);
    }
    return texts;
}

QString TranscriptView::withName(const MessageItem &item, const QString &text, CopyFormat format,
                                 bool names)
{
    const bool html = format == CopyFormat::Html;
    // What a person typed is no Markdown.
    const QString written = !html             ? text
                            : item.fromUser() ? plainToHtml(text)
                                              : markdownToHtml(text);
    if (!names)
        return written;
    const QString name = item.speaker();
    if (format == CopyFormat::Plain)
        return name + QStringLiteral(":\n") + written;
    return html
               ? QStringLiteral("<p><strong>%1:</strong></p>\n").arg(name.toHtmlEscaped()) + written
               : QStringLiteral("**%1:**").arg(name) + kMessageGap + written;
}

QString TranscriptView::selectedText() const
{
    return selectedParts(CopyFormat::Plain).join(kMessageGap);
}

void TranscriptView::copySelection()
{
    if (!hasSelection())
        return copyMessage(m_focused);
    auto *copied = new QMimeData; // programs take what they can show
    copied->setText(selectedText());
    copied->setHtml(selectedParts(CopyFormat::Html).join(QString()));
    QApplication::clipboard()->setMimeData(copied);
}

void TranscriptView::copyMessage(int index)
{
    if (index < 0 || index >= count())
        return;
    QApplication::clipboard()->setText(copiedText(messageAt(index)));
    if (index == m_toolbarItem)
        m_toolbar->showCopied();
}

/// What is selected, or else a message.
void TranscriptView::copyAs(CopyFormat format, int message)
{
    const bool html = format == CopyFormat::Html;
    QString text = selectedParts(format).join(html ? QString() : kMessageGap);
    if (!hasSelection()) {
        MessageItem &item = *m_items[size_t(message)];
        const auto [from, to] = item.everything();
        text = withName(item,
                        format == CopyFormat::Plain ? item.textBetween(from, to)
                                                    : item.sourceBetween(from, to),
                        format, m_copyNames);
    }
    auto *copied = new QMimeData;
    copied->setText(text); // HTML as its source, for programs that take nothing else
    if (html)
        copied->setHtml(text);
    QApplication::clipboard()->setMimeData(copied);
}

void TranscriptView::addCopyActions(QMenu &menu, int item)
{
    QAction *copy = menu.addAction(tr("Copy selection"), this, &TranscriptView::copySelection);
    copy->setEnabled(hasSelection());
    menu.addAction(tr("Copy message"), this, [this, item] { copyMessage(item); });
    QMenu *as = menu.addMenu(hasSelection() ? tr("Copy selection as") : tr("Copy message as"));
    const auto add = [&](const QString &text, CopyFormat format) {
        as->addAction(text, this, [this, format, item] { copyAs(format, item); });
    };
    add(tr("Markdown"), CopyFormat::Markdown);
    add(tr("Plain text"), CopyFormat::Plain);
    add(tr("HTML"), CopyFormat::Html);
    as->addSeparator();
    QAction *names = as->addAction(tr("With the speakers' names"));
    names->setCheckable(true);
    names->setChecked(m_copyNames);
    connect(names, &QAction::toggled, this, [this](bool on) { m_copyNames = on; });
    menu.addAction(tr("Select message"), this, [this, item] { selectMessages(item, item); });
    menu.addAction(tr("Select all messages"), this, [this] { selectMessages(0, count() - 1); });
}

} // namespace fireside
