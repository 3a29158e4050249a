#include "ui/chat/prompt_inserter.h"

#include "app/chat/chat_controller.h"
#include "ui/chat/composer.h"
#include "ui/chat/notice_bar.h"
#include "ui/chat/prompt_dialog.h"
#include "ui/chat/prompt_popup.h"
#include "ui/style/text_fields.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>

namespace fireside {

PromptInserter::PromptInserter(PromptStore &store, ChatController &chat, Composer &composer,
                               NoticeBar &notices, QWidget &window)
    : QObject(&window)
    , m_store(store)
    , m_chat(chat)
    , m_composer(composer)
    , m_notices(notices)
    , m_window(window)
{
    auto *popup = new PromptPopup(store, *composer.field(), window);
    connect(popup, &PromptPopup::chosen, this, &PromptInserter::use);
    connect(popup, &PromptPopup::libraryRequested, this, &PromptInserter::showLibrary);
}

void PromptInserter::showLibrary()
{
    if (!m_library || !m_library->isVisible()) {
        m_library = new PromptDialog(m_store, &m_window);
        m_library->setAttribute(Qt::WA_DeleteOnClose);
        connect(m_library, &PromptDialog::used, this, &PromptInserter::use);
    }
    m_library->show();
    m_library->raise();
    m_library->activateWindow();
}

void PromptInserter::use(const Prompt &prompt)
{
    const QStringList names = promptVariables(prompt.text);
    if (names.isEmpty())
        insert(prompt, prompt.text);
    else
        ask(prompt, names);
}

void PromptInserter::ask(const Prompt &prompt, const QStringList &names)
{
    auto *dialog = new QDialog(&m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setObjectName(QStringLiteral("promptVariables"));
    dialog->setWindowTitle(prompt.name);
    auto *form = new QFormLayout(dialog);
    QList<PlainTextField *> fields;
    for (const QString &name : names) {
        auto *field = new PlainTextField(dialog);
        field->setObjectName(QStringLiteral("variable") + QString::number(fields.size()));
        field->setTabChangesFocus(true);
        field->setAccessibleName(name);
        constexpr int kLines = 2, kPadding = 16;
        field->setFixedHeight(field->fontMetrics().lineSpacing() * kLines + kPadding);
        auto *label = new QLabel(name, dialog);
        label->setTextFormat(Qt::PlainText);
        label->setBuddy(field);
        form->addRow(label, field);
        fields.append(field);
    }
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, dialog);
    form->addRow(buttons);
    connect(buttons, &QDialogButtonBox::accepted, dialog, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    connect(dialog, &QDialog::accepted, this, [this, prompt, names, fields] {
        QMap<QString, QString> values;
        for (qsizetype i = 0; i < names.size(); ++i)
            values[names[i]] = fields[i]->toPlainText();
        insert(prompt, filledPrompt(prompt.text, values));
    });
    dialog->open();
}

void PromptInserter::insert(const Prompt &prompt, const QString &text)
{
    if (!prompt.system) {
        m_composer.insertPrompt(text);
        return;
    }
    if (m_composer.text().startsWith(QLatin1Char('/')))
        m_composer.insertPrompt({});
    const SamplingChoice before = m_chat.samplingChoice();
    const qint64 chat = m_chat.currentConversation();
    SamplingChoice choice = before;
    choice.own["systemPrompt"] = text.toStdString();
    m_chat.setSamplingChoice(choice);
    m_notices.show(QStringLiteral("prompt"), NoticeBar::Kind::Info,
                   tr("“%1” is now the system prompt of this chat.").arg(prompt.name), tr("Undo"),
                   [this, before, chat] {
                       if (m_chat.currentConversation() == chat)
                           m_chat.setSamplingChoice(before);
                       m_notices.dismiss(QStringLiteral("prompt"));
                   });
    m_composer.focusText();
}

} // namespace fireside
