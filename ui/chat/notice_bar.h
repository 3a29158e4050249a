#pragma once
#include <QList>
#include <QWidget>

#include <functional>

class QHBoxLayout;
class QLabel;
class QPushButton;
class QScrollArea;
class QToolButton;
class QVBoxLayout;

namespace fireside {

/// Messages of the program above the transcript. Each stays until it is dismissed, solved or
/// replaced by a newer one of the same topic; none interrupts. The newest is in view, in a few
/// lines at most; the older ones wait behind it.
class NoticeBar : public QWidget
{
    Q_OBJECT
public:
    enum class Kind { Info, Warning, Error };
    static constexpr int kMostLines = 3; // a longer text scrolls

    explicit NoticeBar(QWidget *parent = nullptr);

    /// topic names what it is about ("load", "storage"). An empty action text means no button.
    void show(const QString &topic, Kind kind, const QString &text, const QString &actionText = {},
              std::function<void()> action = {});
    void dismiss(const QString &topic);
    QString textOf(const QString &topic) const; // empty: there is none
    QString shownTopic() const;                 // empty: no notice

    using QWidget::show;

protected:
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    struct Notice
    {
        QString topic;
        Kind kind = Kind::Info;
        QString text, actionText;
        std::function<void()> action;
    };

    QWidget *buildButtons();
    QToolButton *addButton(const QString &name);
    qsizetype indexOf(const QString &topic) const;
    void refresh();
    void fitText();

    QList<Notice> m_notices; // the newest last
    qsizetype m_shown = -1;
    QVBoxLayout *m_column;
    QHBoxLayout *m_row;
    QLabel *m_mark, *m_text, *m_count;
    QScrollArea *m_scroll;
    QWidget *m_buttons;
    QPushButton *m_action;
    QToolButton *m_older, *m_newer, *m_close;
};

} // namespace fireside
