#pragma once
#include <QHash>
#include <QWidget>

#include <functional>

class QVBoxLayout;

namespace fireside {

/// Messages of the program above the transcript. Each stays until it is dismissed, solved or
/// replaced by a newer one of the same topic; none interrupts.
class NoticeBar : public QWidget
{
    Q_OBJECT
public:
    enum class Kind { Info, Warning, Error };

    explicit NoticeBar(QWidget *parent = nullptr);

    /// topic names what it is about ("load", "storage"). An empty action text means no button.
    void show(const QString &topic, Kind kind, const QString &text, const QString &actionText = {},
              std::function<void()> action = {});
    void dismiss(const QString &topic);
    QString textOf(const QString &topic) const; // empty: not shown

    using QWidget::show;

private:
    QVBoxLayout *m_column;
    QHash<QString, QWidget *> m_rows;
};

} // namespace fireside
