#pragma once
#include <QWidget>

class QLabel;
class QSplitter;
class QVBoxLayout;

namespace fireside {

class ChatController;
class ChatPanel;
class ColumnHeader;
class Comparison;
class EngineService;

/// The middle of the window: a chat, or two side by side that answer the same messages, with the
/// first one's composer below both.
class ComparisonView : public QWidget
{
    Q_OBJECT
public:
    ComparisonView(ChatPanel &panel, ChatController &chat, EngineService &engine,
                   QWidget *parent = nullptr);

    void begin(Comparison &comparison);
    void end();                                         // before the comparison goes
    ChatPanel *secondPanel() const { return m_second; } // nullptr: there is none

    QSize minimumSizeHint() const override; // of a low window

signals:
    void firstModelRequested();
    void secondModelRequested();
    void firstKept();
    void secondKept();
    void closeRequested();

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void refresh();
    int lowHeight() const;
    void fitHeight();
    QWidget *buildTop();
    void connectHeaders();

    ChatPanel &m_panel;
    ChatController &m_chat;
    EngineService &m_engine;
    Comparison *m_comparison = nullptr;
    QWidget *m_top;
    QLabel *m_reason;
    QSplitter *m_columns;
    QWidget *m_left, *m_right = nullptr, *m_bottom;
    QVBoxLayout *m_leftRows;
    ColumnHeader *m_firstHeader = nullptr, *m_secondHeader = nullptr;
    ChatPanel *m_second = nullptr;
};

} // namespace fireside
