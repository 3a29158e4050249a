#pragma once
#include <QLabel>
#include <QPushButton>

namespace fireside {

/// A flat button whose text takes further lines when space is short, as far as it may, and is then
/// cut with "…"; the whole text is its tooltip and what a screen reader says.
class ElidedButton : public QPushButton
{
    Q_OBJECT
public:
    explicit ElidedButton(QWidget *parent = nullptr);

    /// `what` names the control to a screen reader, before the text: "Model: Llama 3".
    void setFullText(const QString &text, const QString &what);
    QString fullText() const { return m_text; }
    static constexpr int kAllLines = 1000;
    void setMaximumLines(int lines);
    void setTextColor(const QColor &color) { m_color = color; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;
    bool event(QEvent *event) override;

private:
    void fitHeight();
    QRect textRect() const;
    QStringList linesIn(int width) const;
    int heightOf(int lines) const;

    QString m_text;
    int m_maximumLines = 1;
    QColor m_color; // invalid: the theme's text
};

/// A label that is cut with "…" when space is short; the whole text is its tooltip.
class ElidedLabel : public QLabel
{
    Q_OBJECT
public:
    explicit ElidedLabel(QWidget *parent = nullptr);

    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
    bool event(QEvent *event) override;
};

} // namespace fireside
