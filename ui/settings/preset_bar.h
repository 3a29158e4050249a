#pragma once
#include "app/settings/sampling_layers.h"

#include <QWidget>

#include <functional>

class QAction;
class QComboBox;
class QLabel;
class QToolButton;

namespace fireside {

class PresetStore;

/// A list of presets, and a menu to keep what is set as one, to rename, delete, import and export.
class PresetBar : public QWidget
{
    Q_OBJECT
public:
    PresetBar(PresetStore &presets, bool ofChat, QWidget *parent = nullptr);
    void show(const SamplingChoice &choice);

signals:
    void chosen(const QString &name, const fireside::SettingValues &values); // no name: none

private:
    void fill();
    void choose(int index);
    void askForName(const QString &title, const QString &name,
                    const std::function<void(const QString &)> &use);
    void save();
    void rename();
    void importPresets();
    void exportPresets();
    void say(const QString &text);
    bool ownIsChosen() const;

    PresetStore &m_presets;
    const bool m_ofChat;
    SamplingChoice m_choice;
    QComboBox *m_list;
    QToolButton *m_menu;
    QAction *m_save, *m_rename, *m_delete, *m_export;
    QLabel *m_note;
};

} // namespace fireside
