#include "ui/style/icon_text_button.h"

#include <QPainter>
#include <QStyleOptionButton>

#include <algorithm>

namespace fireside {

void IconTextButton::paintEvent(QPaintEvent *)
{
    constexpr int kGap = 6;
    QStyleOptionButton option;
    initStyleOption(&option);
    option.text.clear();
    option.icon = {};
    QPainter painter(this);
    style()->drawControl(QStyle::CE_PushButton, &option, &painter, this);
    const QSize size = iconSize();
    const int room = std::max(0, width() - size.width() - 2 * kGap);
    const QString shown =
        fontMetrics().elidedText(text(), Qt::ElideRight, room, Qt::TextShowMnemonic);
    const int text = fontMetrics().size(Qt::TextShowMnemonic, shown).width();
    const int all = size.width() + kGap + text;
    const QRect whole(width() / 2 - all / 2, 0, all, height());
    const QRect place =
        QStyle::alignedRect(layoutDirection(), Qt::AlignLeading | Qt::AlignVCenter, size, whole);
    icon().paint(&painter, place, Qt::AlignCenter, isEnabled() ? QIcon::Normal : QIcon::Disabled);
    const QRect words = QStyle::alignedRect(layoutDirection(), Qt::AlignTrailing | Qt::AlignVCenter,
                                            QSize(text, height()), whole);
    style()->drawItemText(&painter, words, Qt::AlignCenter | Qt::TextShowMnemonic, palette(),
                          isEnabled(), shown, QPalette::ButtonText);
}

} // namespace fireside
