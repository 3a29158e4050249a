#pragma once
#include "app/runtime/engine_types.h"
#include "ui/settings/setting_editors.h"

#include <QWidget>

class QFormLayout;
class QPushButton;
class QToolButton;

namespace fireside {

/// How and where a model is loaded: for one model in the picker, for every model in the settings.
class LoadForm : public QWidget
{
    Q_OBJECT
public:
    explicit LoadForm(QWidget *parent = nullptr);

    LoadSettings settings() const;
    void setSettings(const LoadSettings &settings); // emits nothing
    void setDevices(const QList<DeviceStatus> &devices);
    /// What the button at the end goes back to, and what it is called.
    void setDefaults(const LoadSettings &defaults, const QString &text);
    void setPlacesShown(bool shown);
    /// The keys go to its end.
    void focusEnd();

signals:
    void changed(const fireside::LoadSettings &settings);

private:
    QWidget *buildPlaces();
    void addRow(QFormLayout *form, const SettingEditor &editor);
    void tellChanged();
    void reset();

    SettingEditors<LoadSettings> m_editors;
    SettingEditors<PlacementSettings> m_places;
    LoadSettings m_defaults;
    QToolButton *m_expander;
    QPushButton *m_reset;
};

} // namespace fireside
