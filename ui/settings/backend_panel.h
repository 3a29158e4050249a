#pragma once
#include "app/runtime/engine_types.h"

#include <QWidget>

class QFrame;
class QLabel;
class QPushButton;
class QVBoxLayout;

namespace fireside {

class AppSettings;
class EngineService;
class LoadForm;

/// Which kind of device runs models, every device with its reason, and what a change means for the
/// model that is loaded now.
class BackendPanel : public QWidget
{
    Q_OBJECT
public:
    BackendPanel(AppSettings &settings, EngineService &engine, QWidget *parent = nullptr);

    /// What the chosen backend means on this computer, in one or two sentences; a warning when the
    /// next load would fail.
    struct Meaning
    {
        QString text;
        bool warning = false;
    };
    static Meaning meaningOf(const QString &backend, const QList<DeviceStatus> &devices);

private:
    QWidget *buildReload();
    void showDevices(const QList<DeviceStatus> &devices);
    QWidget *deviceRow(const DeviceStatus &device);
    void showChoice();
    void showReload();
    void openDetails(const QString &deviceId);

    AppSettings &m_settings;
    EngineService &m_engine;
    QList<DeviceStatus> m_deviceList;
    LoadForm *m_form;
    QLabel *m_meaning;
    QVBoxLayout *m_devices;
    QFrame *m_reloadCard;
    QLabel *m_reloadText;
    QPushButton *m_reload;
};

} // namespace fireside
