#pragma once
#include "app/runtime/engine_types.h"
#include "app/settings/chat_settings.h"
#include "app/settings/sampling_settings.h"
#include "ui/settings/setting_editors.h"

#include <QWidget>

#include <optional>

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace fireside {

class AppSettings;
class EngineService;

/// How replies are made: system prompt, sampling numbers, limits. Each field says what it does, or
/// why the loaded model cannot be told.
class GenerationPage : public QWidget
{
    Q_OBJECT
public:
    GenerationPage(AppSettings &settings, EngineService &engine, QWidget *parent = nullptr);

private:
    void addField(QVBoxLayout *layout, const SettingEditor &editor);
    void offer(const ThinkingOffer *offer); // nullptr: no model is loaded
    void store();
    void resetOrUndo();

    AppSettings &m_settings;
    SettingEditors<SamplingSettings> m_sampling;
    SettingEditors<ChatSettings> m_chat;
    QList<QLabel *> m_helps; // of m_sampling
    QPushButton *m_reset;
    std::optional<SamplingSettings> m_beforeReset; // set: the button undoes
};

} // namespace fireside
