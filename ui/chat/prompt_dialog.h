#pragma once
#include "app/settings/prompt_store.h"

#include <QDialog>

class QComboBox;
class QLabel;
class QListWidget;
class QPushButton;

namespace fireside {

class LineField;
class PlainTextField;

/// A person's prompts: searched, written, renamed, deleted, imported and exported, and used. Every
/// change is stored when the prompt is left.
class PromptDialog : public QDialog
{
    Q_OBJECT
public:
    explicit PromptDialog(PromptStore &store, QWidget *parent = nullptr);

    void done(int result) override;

signals:
    void used(const fireside::Prompt &prompt);

private:
    QWidget *makeList();
    QWidget *makeEditor();
    void fill();
    void showPrompt();
    void keep();
    void add();
    void remove();
    void use();
    void importPrompts();
    void exportPrompts();
    void updateButtons();
    void say(const QString &text);

    PromptStore &m_store;
    LineField *m_search, *m_name;
    QListWidget *m_list;
    QComboBox *m_kind;
    PlainTextField *m_text;
    QLabel *m_variables, *m_note;
    QPushButton *m_use, *m_delete, *m_export;
    QString m_current; // name of the prompt that is shown; empty: a new one
    bool m_showing = false, m_changed = false;
};

} // namespace fireside
