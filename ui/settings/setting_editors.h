#pragma once
#include "ui/settings/setting_editor.h"

#include <QList>

namespace fireside {

/// The controls of a group of settings, one for each row of its table.
template <typename Group>
class SettingEditors
{
public:
    SettingEditors(const QString &prefix, QWidget *parent)
    {
        for (const SettingOf<Group> &setting : Group::table())
            m_editors.append(new SettingEditor(setting, setting.read(Group()), prefix, parent));
    }

    const QList<SettingEditor *> &all() const { return m_editors; }

    Group shown() const
    {
        Group group;
        for (qsizetype i = 0; i < m_editors.size(); ++i)
            row(i).write(group, m_editors[i]->value());
        return group;
    }

    void show(const Group &group)
    {
        for (qsizetype i = 0; i < m_editors.size(); ++i)
            m_editors[i]->setValue(row(i).read(group));
    }

    /// False while a number is half typed.
    bool complete() const
    {
        for (const SettingEditor *editor : m_editors) {
            if (!isAccepted(editor->setting(), editor->value()))
                return false;
        }
        return true;
    }

    template <typename Receiver, typename Slot>
    void onEdited(Receiver *receiver, Slot slot)
    {
        for (SettingEditor *editor : m_editors)
            QObject::connect(editor, &SettingEditor::edited, receiver, slot);
    }

private:
    static const SettingOf<Group> &row(qsizetype i)
    {
        return Group::table()[static_cast<std::size_t>(i)];
    }

    QList<SettingEditor *> m_editors;
};

} // namespace fireside
