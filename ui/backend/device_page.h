#pragma once
#include "app/runtime/engine_types.h"

#include <QScrollArea>

class QFrame;
class QVBoxLayout;

namespace fireside {

/// One device in full: the reason, its checks, memory and properties. All text can be
/// selected.
class DevicePage : public QScrollArea
{
    Q_OBJECT
public:
    explicit DevicePage(const DeviceStatus &device, QWidget *parent = nullptr);

private:
    void addTitle(const DeviceStatus &device);
    void addChecks(const QList<CheckStatus> &checks);
    void addCheck(const CheckStatus &check);
    void addProperties(const DeviceStatus &device);
    void addHeading(const QString &text);

    QVBoxLayout *m_layout;
};

} // namespace fireside
