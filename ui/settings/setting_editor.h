#pragma once
#include "app/settings/setting.h"

#include <QObject>

#include <functional>

class QWidget;

namespace fireside {

/// The control of one setting, made from its row: a check box, a number, a list or buttons of
/// choices, a text, a list of devices. It has the row's name for screen readers and the row's help.
class SettingEditor : public QObject
{
    Q_OBJECT
public:
    /// `like` has the setting's kind. The control's object name is `prefix` and the key.
    SettingEditor(const Setting &setting, const SettingValue &like, const QString &prefix,
                  QWidget *parent);

    const Setting &setting() const { return m_setting; }
    QString title() const; // without the mnemonic
    QWidget *control() const { return m_control; }
    SettingValue value() const { return m_value(); }
    void setValue(const SettingValue &value); // emits nothing

signals:
    void edited();

private:
    void makeFlag(QWidget *parent);
    void makeInteger(QWidget *parent);
    void makeDigits(QWidget *parent);
    void makeReal(QWidget *parent);
    void makeList(QWidget *parent);
    void makeButtons(QWidget *parent);
    void makeText(QWidget *parent, bool manyTexts);
    void makeDevices(QWidget *parent);
    void tellEdited();

    const Setting &m_setting;
    const QString m_name;
    QWidget *m_control = nullptr;
    std::function<SettingValue()> m_value;
    std::function<void(const SettingValue &)> m_show;
    bool m_showing = false; // the control is being filled, not edited
};

} // namespace fireside
