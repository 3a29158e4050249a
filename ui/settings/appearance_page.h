#pragma once
#include <QWidget>

class QButtonGroup;
class QSpinBox;

namespace fireside {

class AppSettings;

/// Light, dark or as the desktop; the size of the text. Applies at once, so the window is the
/// preview.
class AppearancePage : public QWidget
{
    Q_OBJECT
public:
    explicit AppearancePage(AppSettings &settings, QWidget *parent = nullptr);

private:
    QWidget *buildPreview();
    void showSettings();

    AppSettings &m_settings;
    QButtonGroup *m_theme;
    QSpinBox *m_fontSize;
};

} // namespace fireside
