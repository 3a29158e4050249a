#include "ui/chat/chat_settings_dialog.h"

#include "app/chat/chat_controller.h"
#include "app/runtime/engine_service.h"
#include "app/settings/app_settings.h"
#include "app/settings/preset_store.h"
#include "ui/settings/sampling_editor.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QVBoxLayout>

namespace fireside {

ChatSettingsDialog::ChatSettingsDialog(AppSettings &settings, EngineService &engine,
                                       ChatController &chat, QWidget *parent)
    : QDialog(parent)
{
    setObjectName(QStringLiteral("chatSettings"));
    setWindowTitle(tr("Settings of this chat"));
    setSizeGripEnabled(true);
    auto *editor = new SamplingEditor(settings.presets(), true, this);
    auto *which = new QLabel(this);
    which->setTextFormat(Qt::PlainText);
    which->setWordWrap(true);
    which->setProperty("role", "title");
    auto *content = new QWidget(this);
    auto *column = new QVBoxLayout(content);
    column->setContentsMargins(16, 8, 16, 8);
    column->addWidget(which);
    column->addWidget(editor);
    column->addStretch(1);
    auto *scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setAccessibleName(windowTitle());
    scroll->setWidget(content);

    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    buttons->button(QDialogButtonBox::Close)->setAutoDefault(false); // Enter finishes a field
    QPushButton *reset = buttons->addButton(tr("As in &all chats"), QDialogButtonBox::ResetRole);
    reset->setObjectName(QStringLiteral("chatSettingsReset"));
    reset->setAutoDefault(false);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(reset, &QPushButton::clicked, this, [&chat] { chat.setSamplingChoice({}); });
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 8, 8, 8);
    layout->addWidget(scroll, 1);
    layout->addWidget(buttons);

    const auto refresh = [&chat, &engine, editor, which, reset] {
        const QString title = chat.currentTitle();
        which->setText(title.isEmpty() ? tr("New chat") : title);
        editor->offer(engine.hasModel() ? &engine.model().thinking : nullptr);
        editor->show(chat.samplingBase(), chat.samplingChoice());
        reset->setEnabled(chat.samplingChoice() != SamplingChoice());
    };
    connect(editor, &SamplingEditor::edited, &chat, &ChatController::setSamplingChoice);
    connect(&chat, &ChatController::samplingChanged, this, refresh);
    connect(&chat, &ChatController::conversationOpened, this, refresh);
    connect(&engine, &EngineService::loaded, this, refresh);
    refresh();
    resize(QSize(720, 600).boundedTo(screen()->availableSize() * 0.9));
}

} // namespace fireside
