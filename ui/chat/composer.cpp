#include "ui/chat/composer.h"

#include "app/runtime/contained.h"
#include "ui/backend/number_text.h"
#include "ui/chat/attachment_list.h"
#include "ui/chat/thinking_button.h"
#include "ui/style/icons.h"
#include "ui/style/theme.h"
#include "ui/tools/tools_button.h"

#include <QAbstractTextDocumentLayout>
#include <QFileDialog>
#include <QFuture>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMimeData>
#include <QPainter>
#include <QStyle>
#include <QTextBlock>
#include <QTextLayout>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace fireside {

namespace {

constexpr int kMaxLines = 8;
constexpr int kMaxFiles = 8;
constexpr int kCountDelay = 250;          // ms
constexpr qsizetype kCountedLength = 500; // shorter messages fit anyway

/// Lines, not paragraphs, up to the most that are shown. What was just pasted is laid out here: its
/// paragraphs count as one line each until then.
int laidOutLines(const QTextDocument &document)
{
    int lines = 0;
    for (QTextBlock block = document.begin(); block.isValid() && lines < kMaxLines;
         block = block.next()) {
        document.documentLayout()->blockBoundingRect(block);
        lines += std::max(1, block.layout()->lineCount());
    }
    return std::clamp(lines, 1, kMaxLines);
}

} // namespace

ComposerEdit::ComposerEdit(AttachmentList &files, QWidget *parent)
    : MessageField(files, parent)
{
    setTabChangesFocus(true);
    setProperty("role", "bare");
    setFrameShape(QFrame::NoFrame);
    document()->setDocumentMargin(2);
}

bool ComposerEdit::event(QEvent *event)
{
    // On some desktops Ctrl+K deletes to the line's end; here it is the window's search. Where
    // nothing is written, Ctrl+End means the transcript.
    if (event->type() == QEvent::ShortcutOverride) {
        const auto *key = static_cast<QKeyEvent *>(event);
        const bool windows =
            key->key() == Qt::Key_K || (key->key() == Qt::Key_End && document()->isEmpty());
        if (windows && key->modifiers() == Qt::ControlModifier) {
            event->ignore();
            return false;
        }
    }
    return MessageField::event(event);
}

void ComposerEdit::keyPressEvent(QKeyEvent *event)
{
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (enter && !(event->modifiers() & (Qt::ShiftModifier | Qt::AltModifier))) {
        emit sendPressed();
        return;
    }
    if (event->key() == Qt::Key_Up && document()->isEmpty()) {
        emit upInEmpty();
        return;
    }
    if (enter) { // Shift+Enter would insert a line separator, which is no line break to a model
        insertPlainText(QStringLiteral("\n"));
        ensureCursorVisible();
        return;
    }
    MessageField::keyPressEvent(event);
}

bool ComposerEdit::canInsertFromMimeData(const QMimeData *source) const
{
    if (source && source->hasUrls())
        return !Composer::attachable(source).isEmpty();
    return MessageField::canInsertFromMimeData(source);
}

void ComposerEdit::insertFromMimeData(const QMimeData *source)
{
    if (source && source->hasUrls() && !Composer::attachable(source).isEmpty())
        emit filesGiven(Composer::attachable(source));
    else
        MessageField::insertFromMimeData(source);
}

Composer::Composer(QWidget *parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(14, 10, 10, 8);
    column->setSpacing(4);
    m_attachments = new AttachmentList;
    m_edit = new ComposerEdit(*m_attachments);
    m_edit->setAccessibleName(tr("Message"));
    m_edit->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff); // long lines wrap
    m_edit->installEventFilter(this);
    column->addWidget(m_attachments);
    column->addWidget(m_edit);

    auto *row = new QHBoxLayout;
    row->setSpacing(8);
    m_attach = new QToolButton;
    m_attach->setIcon(icon(IconName::Attach, IconTint::Muted));
    m_attach->setIconSize(QSize(18, 18));
    m_attach->setToolTip(tr("Attach text files"));
    m_attach->setAccessibleName(tr("Attach text files"));
    m_reasonLabel = new QLabel;
    m_reasonLabel->setTextFormat(Qt::PlainText);
    m_reasonLabel->setProperty("role", "muted");
    m_reasonLabel->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_reasonLabel->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_button = new QToolButton;
    m_button->setProperty("role", "primary");
    m_button->setIconSize(QSize(20, 20));
    m_thinking = new ThinkingButton(this);
    row->addWidget(m_attach);
    row->addWidget(m_thinking);
    m_tools = new ToolsButton(this);
    m_tools->hide();
    row->addWidget(m_tools);
    row->addWidget(m_reasonLabel, 1);
    row->addWidget(m_button);
    column->addLayout(row);
    setTabOrder(m_edit, m_button);
    setTabOrder(m_button, m_attach);
    setTabOrder(m_attach, m_thinking);
    setTabOrder(m_thinking, m_tools);
    setFocusProxy(m_edit);

    connect(m_edit, &ComposerEdit::sendPressed, this, &Composer::submit);
    connect(m_edit, &ComposerEdit::upInEmpty, this, &Composer::editLastRequested);
    connect(m_edit, &ComposerEdit::filesGiven, this, &Composer::attachFiles);
    connect(m_edit, &QPlainTextEdit::textChanged, this, [this] {
        fitHeight();
        updateButton();
        emit edited(message());
    });
    connect(m_edit, &MessageField::compositionChanged, this, &Composer::updateButton);
    connect(m_attachments, &AttachmentList::changed, this, [this] {
        fitHeight(); // a long line has left the field
        updateButton();
        emit edited(message());
    });
    connect(m_attach, &QToolButton::clicked, this, &Composer::chooseFiles);
    connect(m_button, &QToolButton::clicked, this, [this] {
        if (m_replying)
            emit stopRequested();
        else
            submit();
    });
    m_count.setSingleShot(true);
    m_count.setInterval(kCountDelay);
    connect(&m_count, &QTimer::timeout, this, &Composer::askForCounts);
    connect(this, &Composer::edited, &m_count, qOverload<>(&QTimer::start));
    fitHeight();
    updateButton();
}

void Composer::insertPrompt(const QString &text)
{
    m_edit->commitComposition();
    if (m_edit->toPlainText().startsWith(QLatin1Char('/'))) {
        m_edit->selectAll();
        m_edit->textCursor().removeSelectedText();
    }
    m_edit->insertText(text);
    focusText();
}

void Composer::askForCounts()
{
    const QString whole = message();
    if (whole.size() >= kCountedLength && whole != m_counted)
        emit countRequested(whole);
    for (const TextAttachment &file : m_attachments->files()) {
        if (!m_attachments->hasTokens(file.text))
            emit countRequested(file.text);
    }
}

void Composer::setRoom(int tokens)
{
    if (std::exchange(m_room, tokens) == tokens)
        return;
    m_counted.clear(); // perhaps another model
    m_attachments->forgetTokens();
    m_count.start();
    updateButton();
}

void Composer::setTokens(const QString &text, int tokens)
{
    if (text == message()) {
        m_counted = text;
        m_tokens = tokens;
    }
    m_attachments->setTokens(text, tokens);
    updateButton();
    if (m_waiting.isNull() || text != m_waiting)
        return;
    m_waiting.clear();
    if (text == message())
        submit();
}

/// What was just pasted; a token has one byte at least. During a reply nobody counts.
bool Composer::mustBeCounted(const QString &whole) const
{
    return !m_replying && m_room > 0 && whole != m_counted && whole.toUtf8().size() > m_room;
}

bool Composer::exceedsRoom() const
{
    return m_room > 0 && m_tokens > m_room && !m_counted.isEmpty() && m_counted == message();
}

QString Composer::text() const
{
    return m_edit->toPlainText();
}

QString Composer::message() const
{
    return m_edit->message();
}

void Composer::setMessage(const QString &message)
{
    m_edit->setMessage(message);
    updateButton();
}

bool Composer::blank() const
{
    return text().trimmed().isEmpty() && m_attachments->files().isEmpty() && !m_edit->isComposing();
}

void Composer::focusText()
{
    m_edit->setFocus();
}

void Composer::typeText(const QString &text)
{
    m_edit->setFocus();
    m_edit->moveCursor(QTextCursor::End);
    m_edit->insertText(text);
}

QStringList Composer::attachable(const QMimeData *data)
{
    QStringList paths;
    for (const QUrl &url : data ? data->urls() : QList<QUrl>()) {
        if (!url.isLocalFile() || url.path().endsWith(QLatin1String(".gguf"), Qt::CaseInsensitive))
            return {};
        paths += url.toLocalFile();
    }
    return paths;
}

void Composer::setPlaceholder(const QString &text)
{
    m_edit->setPlaceholderText(text);
}

void Composer::setSendable(bool sendable, const QString &reason)
{
    m_sendable = sendable;
    m_reason = sendable ? QString() : reason;
    updateButton();
}

void Composer::setReplying(bool replying)
{
    m_replying = replying;
    updateButton();
}

void Composer::updateButton()
{
    if (m_replying) {
        m_button->setIcon(icon(IconName::Stop, IconTint::OnAccent));
        m_button->setToolTip(tr("Stop the reply (Esc)"));
        m_button->setAccessibleName(tr("Stop the reply"));
        m_button->setEnabled(true);
        m_reasonLabel->setText(blank() ? QString() : tr("Enter sends this after the reply"));
        return;
    }
    const bool longer = exceedsRoom();
    const bool enabled = m_sendable && !blank();
    m_button->setIcon(icon(IconName::Send, IconTint::OnAccent));
    m_button->setToolTip(m_reason.isEmpty() ? tr("Send (Enter)") : m_reason.toHtmlEscaped());
    m_button->setAccessibleName(tr("Send"));
    m_button->setAccessibleDescription(m_reason);
    m_button->setEnabled(enabled);
    const bool counted = m_tokens >= 0 && !m_counted.isEmpty() && m_counted == message();
    if (longer)
        m_reasonLabel->setText(
            tr("%1 tokens, %2 at most fit").arg(countText(m_tokens), countText(m_room)));
    else if (m_reason.isEmpty() && counted)
        m_reasonLabel->setText(tr("%1 tokens").arg(countText(m_tokens)));
    else
        m_reasonLabel->setText(m_reason);
    m_reasonLabel->setProperty("role", longer ? "warning" : "muted");
    m_reasonLabel->style()->unpolish(m_reasonLabel);
    m_reasonLabel->style()->polish(m_reasonLabel);
}

void Composer::submit()
{
    m_edit->commitComposition();
    if (blank() || (!m_replying && !m_sendable))
        return;
    if (exceedsRoom()) {
        emit tooLong(m_tokens);
        return;
    }
    const QString whole = message();
    if (mustBeCounted(whole)) {
        m_waiting = whole; // the answer may come at once
        emit countRequested(whole);
        return;
    }
    m_attachments->setFiles({});
    m_edit->clear();
    if (m_replying)
        emit queueRequested(whole);
    else
        emit sendRequested(whole);
}

void Composer::fitHeight()
{
    const int lines = laidOutLines(*m_edit->document());
    const int height = lines * m_edit->fontMetrics().lineSpacing() +
                       2 * int(m_edit->document()->documentMargin()) + 4;
    m_edit->setFixedHeight(height);
    m_edit->setVerticalScrollBarPolicy(lines < kMaxLines ? Qt::ScrollBarAlwaysOff
                                                         : Qt::ScrollBarAsNeeded);
}

void Composer::chooseFiles()
{
    auto *dialog = new QFileDialog(this, tr("Attach text files"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFiles);
    connect(dialog, &QFileDialog::filesSelected, this, &Composer::attachFiles);
    dialog->open();
}

void Composer::attachFiles(const QStringList &paths)
{
    for (const QString &path : paths.mid(0, kMaxFiles)) {
        inBackground(
            "attachment", [path] { return readTextAttachment(path); },
            [](const QString &problem) { return TextAttachment{.problem = problem}; })
            .then(this, [this](const TextAttachment &file) {
                if (!file.problem.isEmpty()) {
                    emit attachmentFailed(file.problem);
                    return;
                }
                m_attachments->add(file);
                m_edit->setFocus();
            });
    }
    if (paths.size() > kMaxFiles)
        emit attachmentFailed(tr("%1 files at most can be attached at once.").arg(kMaxFiles));
}

bool Composer::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_edit) {
        if (event->type() == QEvent::Resize)
            QMetaObject::invokeMethod(this, &Composer::fitHeight, Qt::QueuedConnection);
        if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut)
            update();
    }
    return QWidget::eventFilter(watched, event);
}

void Composer::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
        fitHeight();
}

void Composer::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(
        QPen(m_edit->hasFocus() ? theme.accent : theme.border, m_edit->hasFocus() ? 1.5 : 1));
    painter.setBrush(theme.surface);
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 14, 14);
}

} // namespace fireside
