#pragma once
#include "app/settings/chat_settings.h"
#include "app/settings/sampling_settings.h"
#include "ui/settings/setting_editors.h"

#include <QWidget>

#include <optional>

class QPushButton;
class QVBoxLayout;

namespace fireside {

class AppSettings;

/// How replies are made: system prompt, sampling numbers, limits. Each field says what it does.
class GenerationPage : public QWidget
{
    Q_OBJECT
public:
    explicit GenerationPage(AppSettings &settings, QWidget *parent = nullptr);

private:
    void addField(QVBoxLayout *layout, const SettingEditor &editor);
    void store();
    void resetOrUndo();

    AppSettings &m_settings;
    SettingEditors<SamplingSettings> m_sampling;
    SettingEditors<ChatSettings> m_chat;
    QPushButton *m_reset;
    std::optional<SamplingSettings> m_beforeReset; // set: the button undoes
};

} // namespace fireside
