#pragma once
#include "app/runtime/engine_types.h"
#include "app/settings/load_settings.h"

#include <QWidget>

class QComboBox;
class QFrame;
class QLabel;
class QPushButton;
class QVBoxLayout;

namespace fireside {

class AppSettings;
class EngineService;
class LoadForm;
class MeasureRow;
class PlacementView;

/// Which devices run models, all or the loaded one, whether that one will fit so, every device with
/// its reason, and what a change means for the model that is loaded now.
class BackendPanel : public QWidget
{
    Q_OBJECT
public:
    BackendPanel(AppSettings &settings, EngineService &engine, QWidget *parent = nullptr);
    /// Offers to load the model with changed settings. It may be taken to where it stays in view.
    QWidget *reloadBar() const;

    /// What the chosen backend and devices mean on this computer, in one or two sentences; a
    /// warning when the next load would fail.
    struct Meaning
    {
        QString text;
        bool warning = false;
    };
    static Meaning meaningOf(const LoadSettings &settings, const QList<DeviceStatus> &devices);

private:
    QWidget *buildScope();
    void buildReload();
    /// That it is about: the loaded one, one that could not be loaded, or the last; may be empty.
    QString model() const;
    QString modelName() const;
    bool ofModel() const; // the form is about that one alone
    LoadSettings stored() const;
    void store(const LoadSettings &settings);
    void showSettings();
    void showFit();
    void showDevices(const QList<DeviceStatus> &devices);
    QWidget *deviceRow(const DeviceStatus &device);
    void showChoice();
    void showReload();
    void openDetails(const QString &deviceId);

    AppSettings &m_settings;
    EngineService &m_engine;
    QList<DeviceStatus> m_deviceList;
    QWidget *m_scopeRow;
    QComboBox *m_scope;
    LoadForm *m_form;
    QLabel *m_fitHeading;
    PlacementView *m_fit;
    MeasureRow *m_measure;
    QLabel *m_meaning;
    QVBoxLayout *m_devices;
    QFrame *m_reloadCard;
    QLabel *m_reloadText;
    QPushButton *m_reload;
};

} // namespace fireside
