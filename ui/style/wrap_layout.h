#pragma once
#include <QLayout>
#include <QList>

namespace fireside {

/// A row that goes on below where it is too narrow; it never asks for more width than its widest
/// widget needs.
class WrapLayout : public QLayout
{
public:
    explicit WrapLayout(QWidget *parent)
        : QLayout(parent)
    {}
    ~WrapLayout() override;

    /// What is added from here on stands at the far end of its line.
    void addGap() { m_gap = m_items.size(); }
    /// This widget takes what its line leaves.
    void setGrowing(QWidget *widget) { m_growing = widget; }

    void addItem(QLayoutItem *item) override { m_items.append(item); }
    int count() const override { return int(m_items.size()); }
    QLayoutItem *itemAt(int index) const override { return m_items.value(index); }
    QLayoutItem *takeAt(int index) override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override; // of one row
    QSize minimumSize() const override;
    void setGeometry(const QRect &rect) override;

private:
    struct Line
    {
        QList<qsizetype> items;
        int width = 0, height = 0;
    };
    QList<Line> linesIn(int width) const;
    void place(const Line &line, const QRect &row);
    int widthOf(qsizetype index, int most) const;

    QList<QLayoutItem *> m_items;
    qsizetype m_gap = -1;
    QWidget *m_growing = nullptr;
};

} // namespace fireside
