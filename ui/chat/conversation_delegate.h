#pragma once
#include <QStyledItemDelegate>

namespace fireside {

/// A conversation's title, and below it while searching the text around the match; words searched
/// for are marked.
class ConversationDelegate : public QStyledItemDelegate
{
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void setSearch(const QString &search);
    /// The "⋯" of a row under the pointer, which opens its menu.
    static QRect menuRect(const QRect &row, Qt::LayoutDirection direction);

    void paint(QPainter *painter, const QStyleOptionViewItem &option,
               const QModelIndex &index) const override;
    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override;
    QWidget *createEditor(QWidget *parent, const QStyleOptionViewItem &option,
                          const QModelIndex &index) const override;
    void updateEditorGeometry(QWidget *editor, const QStyleOptionViewItem &option,
                              const QModelIndex &index) const override;

private:
    QStringList m_words;
};

} // namespace fireside
