#pragma once
#include "app/runtime/engine_types.h"

#include <QDialog>

class QListWidget;
class QPushButton;
class QStackedWidget;

namespace fireside {

class EngineService;

/// Every device with its checks, what failed, the system's own words and what to do about
/// it.
class DeviceDetailsDialog : public QDialog
{
    Q_OBJECT
public:
    explicit DeviceDetailsDialog(EngineService &engine, QWidget *parent = nullptr);

    /// Opens the page of one device; unknown ids change nothing.
    void showDevice(const QString &id);
    /// The whole dialog as plain text, for bug reports. Holds no user name and no chat text.
    QString reportText() const;

private:
    void setDevices(const QList<DeviceStatus> &devices);

    EngineService &m_engine;
    QList<DeviceStatus> m_devices;
    QListWidget *m_list;
    QStackedWidget *m_pages;
    QPushButton *m_copy;
};

} // namespace fireside
