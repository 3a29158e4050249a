#pragma once
#include "app/settings/load_settings.h"
#include "ui/settings/setting_editors.h"

#include <QWidget>

namespace fireside {

/// How a model is loaded: for one model in the picker, for every model in the settings.
class LoadForm : public QWidget
{
    Q_OBJECT
public:
    explicit LoadForm(QWidget *parent = nullptr);

    LoadSettings settings() const { return m_editors.shown(); }
    void setSettings(const LoadSettings &settings) { m_editors.show(settings); } // emits nothing

signals:
    void changed(const fireside::LoadSettings &settings);

private:
    SettingEditors<LoadSettings> m_editors;
};

} // namespace fireside
