#pragma once
#include "app/settings/prompt_store.h"

#include <QListWidget>
#include <QPointer>

class QPlainTextEdit;

namespace fireside {

/// The prompts whose name is being typed after a "/" at the beginning of a message, above the
/// field. Up, Down, Enter and Tab choose, Esc closes; the keys stay in the field.
class PromptPopup : public QListWidget
{
    Q_OBJECT
public:
    PromptPopup(PromptStore &store, QPlainTextEdit &field, QWidget &window);

signals:
    void chosen(const fireside::Prompt &prompt);
    void libraryRequested();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void follow();
    void place();
    bool takeKey(int key);
    void choose(int row);

    PromptStore &m_store;
    QPlainTextEdit &m_field;
    QList<Prompt> m_shown;
    bool m_closed = false; // by Esc, until the text is no command
};

} // namespace fireside
