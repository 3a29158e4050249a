#pragma once
#include "app/settings/chat_settings.h"
#include "app/settings/sampling_layers.h"
#include "ui/settings/setting_editors.h"

#include <QWidget>

#include <optional>

class QPushButton;

namespace fireside {

class AppSettings;
class EngineService;
class SamplingEditor;

/// What the loaded model recommends, as the lowest layer; nothing where none is loaded.
SamplingLayers modelLayers(const EngineService &engine);

/// How replies are made in all chats, and how chats are treated.
class GenerationPage : public QWidget
{
    Q_OBJECT
public:
    GenerationPage(AppSettings &settings, EngineService &engine, QWidget *parent = nullptr);

private:
    void showAll();
    void store(const SamplingChoice &choice);
    void resetOrUndo();

    AppSettings &m_settings;
    EngineService &m_engine;
    SamplingEditor *m_sampling;
    SettingEditors<ChatSettings> m_chat;
    QPushButton *m_reset;
    std::optional<SamplingChoice> m_beforeReset; // set: the button undoes
};

} // namespace fireside
