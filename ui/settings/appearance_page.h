#pragma once
#include "app/settings/appearance_settings.h"
#include "ui/settings/setting_editors.h"

#include <QWidget>

class QGridLayout;
class QVBoxLayout;

namespace fireside {

class AppSettings;

/// Colours, contrast, language, the size of the text. Applies at once, so the window is the
/// preview.
class AppearancePage : public QWidget
{
    Q_OBJECT
public:
    explicit AppearancePage(AppSettings &settings, QWidget *parent = nullptr);

private:
    void addField(QVBoxLayout *layout, const SettingEditor &editor);
    void addHelp(QVBoxLayout *layout, const SettingEditor &editor);
    QWidget *buildPreview();

    AppSettings &m_settings;
    SettingEditors<AppearanceSettings> m_editors;
    QGridLayout *m_fields = nullptr; ///< those that stand below each other at the moment
};

} // namespace fireside
