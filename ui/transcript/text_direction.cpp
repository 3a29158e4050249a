#include "ui/transcript/text_direction.h"

#include "ui/transcript/formula_object.h"
#include "ui/transcript/section_document.h"

#include <QRegularExpression>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>

namespace fireside {

namespace {

constexpr QChar kLeftToRightMark(0x200E);

bool isCode(const QTextFormat &format)
{
    return format.boolProperty(kCodeSpan);
}

Qt::LayoutDirection firstStrong(const QString &text)
{
    for (const QChar c : text) {
        if (c.direction() == QChar::DirL)
            return Qt::LeftToRight;
        if (c.direction() == QChar::DirR || c.direction() == QChar::DirAL)
            return Qt::RightToLeft;
    }
    return Qt::LayoutDirectionAuto;
}

/// Positions in the document that want a mark: the ends of code, and signs at the ends of words in
/// Latin letters.
QList<int> placesOfMarks(const QTextBlock &block)
{
    static const QRegularExpression kWord(
        QStringLiteral("(?<![^\\s(\\[\u00ab\u201c])[/~.$@#\\\\+*-]*[A-Za-z][!-~]{0,200}?[/+#*\\\\]*"
                       "(?=[.,:;!?)\\]\u00bb\u201d\u060c\u061b\u061f]*(\\s|$))"));
    QList<int> places;
    for (auto it = block.begin(); !it.atEnd(); ++it) {
        const QTextFragment part = it.fragment();
        if (isCode(part.charFormat())) {
            places += {part.position(), part.position() + part.length()};
            continue;
        }
        for (auto words = kWord.globalMatch(part.text()); words.hasNext();) {
            const QRegularExpressionMatch word = words.next();
            const QString text = word.captured();
            if (!text.front().isLetterOrNumber())
                places += part.position() + int(word.capturedStart());
            if (!text.back().isLetterOrNumber())
                places += part.position() + int(word.capturedEnd());
        }
    }
    return places;
}

void addMarks(QTextBlock block)
{
    const QList<int> places = placesOfMarks(block);
    QTextCursor cursor(block);
    for (auto place = places.crbegin(); place != places.crend(); ++place) {
        cursor.setPosition(*place);
        QTextCharFormat format = cursor.charFormat();
        format.clearProperty(kCodeSpan);
        format.clearBackground();
        format.setProperty(kMarkOnly, true);
        cursor.insertText(QString(kLeftToRightMark), format);
    }
}

} // namespace

Qt::LayoutDirection directionOf(const QTextBlock &block)
{
    for (auto it = block.begin(); !it.atEnd(); ++it) {
        const QTextCharFormat format = it.fragment().charFormat();
        if (isCode(format) || format.objectType() == kFormulaObject)
            continue;
        if (const auto direction = firstStrong(it.fragment().text());
            direction != Qt::LayoutDirectionAuto)
            return direction;
    }
    return Qt::LayoutDirectionAuto;
}

void settleDirections(QTextDocument &document)
{
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        QTextBlockFormat format = block.blockFormat();
        if (format.hasProperty(kBlockCode))
            continue;
        const Qt::LayoutDirection direction = directionOf(block);
        // Marks at its beginning would turn one that is from right to left by its letters only.
        if (direction != Qt::LayoutDirectionAuto &&
            (direction == Qt::RightToLeft || direction != block.textDirection()))
            format.setLayoutDirection(direction);
        const bool fromRight =
            direction == Qt::RightToLeft ||
            (direction == Qt::LayoutDirectionAuto && block.textDirection() == Qt::RightToLeft);
        if (fromRight && format.leftMargin() > 0) {
            format.setRightMargin(format.leftMargin());
            format.setLeftMargin(0);
        }
        if (format != block.blockFormat())
            QTextCursor(block).setBlockFormat(format);
        if (fromRight)
            addMarks(block);
    }
}

} // namespace fireside
