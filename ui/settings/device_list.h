#pragma once
#include "ui/settings/device_rows.h"

#include <QWidget>

class QDoubleSpinBox;
class QLabel;
class QListWidget;
class QToolButton;

namespace fireside {

/// The devices that models may use: ticked or not, in an order that the buttons, and Alt with Up
/// and Down, change, and below the list the limit and the reserve of the chosen one.
class DeviceList : public QWidget
{
    Q_OBJECT
public:
    explicit DeviceList(QWidget *parent = nullptr);

    /// PlacementSettings::devices, exactly as it was set until it is edited.
    std::vector<std::string> value() const { return m_value; }
    void setValue(const std::vector<std::string> &value); // emits nothing
    void setDevices(const QList<DeviceStatus> &devices);

signals:
    void edited();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    QWidget *buildButtons();
    QWidget *buildBounds();
    void showRows(const std::string &current);
    void showItem(int row);
    void showBounds();
    void move(int by);
    void take(); // what the controls say
    void change();
    bool canMove(int by) const;
    int current() const;

    std::vector<std::string> m_value;
    QList<DeviceStatus> m_devices;
    QList<DeviceRow> m_rows;
    QListWidget *m_list;
    QToolButton *m_up, *m_down;
    QLabel *m_whose;
    QDoubleSpinBox *m_limit, *m_reserve;
    bool m_showing = false; // the controls are being filled
};

} // namespace fireside
