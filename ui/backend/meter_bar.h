#pragma once
#include <QProgressBar>

namespace fireside {

/// A thin bar under a line of text: how much of something is used. A level is always also said in
/// words, never by colour alone. Built on QProgressBar so that screen readers read its value.
class MeterBar : public QProgressBar
{
    Q_OBJECT
public:
    enum class Level { Normal, Warning, Critical };

    explicit MeterBar(const QString &caption, QWidget *parent = nullptr);

    /// used and total in the same unit; total 0 or less: an empty bar. mark: a tick at this amount.
    void setAmounts(qint64 used, qint64 total, qint64 mark = -1);
    void setTexts(const QString &text, const QString &explanation);
    void setLevel(Level level);
    Level level() const { return m_level; }
    QString text() const override { return m_text; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QString m_caption;
    QString m_text;
    double m_fraction = 0;
    double m_mark = -1;
    Level m_level = Level::Normal;
};

} // namespace fireside
