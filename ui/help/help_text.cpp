#include "ui/help/help_text.h"

#include "ui/style/emphasis.h"
#include "ui/style/theme.h"

#include <QKeySequence>
#include <QRegularExpression>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextDocumentFragment>
#include <QTextOption>
#include <QTextTable>

namespace fireside {
namespace {

/// Pages name keys as the sources do (`Ctrl+L`), menus as the system does. What stands between
/// backticks is read from the left also where the page is not: the marks keep `.gguf` and
/// `--host` whole, and stand outside, so that they are not copied with a command.
QString withCode(const QString &page)
{
    static const QRegularExpression code(QStringLiteral("`([^`\n]+)`"));
    static const QRegularExpression keys(
        QStringLiteral("^(?:(?:(?:Ctrl|Shift|Alt)\\+)+\\S+|Esc|F\\d+)$"));
    const QString mark = page.isRightToLeft() ? QString(QChar(0x200e)) : QString();
    QString result;
    qsizetype at = 0;
    for (auto it = code.globalMatch(page); it.hasNext();) {
        const QRegularExpressionMatch match = it.next();
        QString text = match.captured(1);
        if (keys.match(text).hasMatch())
            text = QKeySequence::fromString(text).toString(QKeySequence::NativeText);
        result += page.mid(at, match.capturedStart() - at) + mark + QLatin1Char('`') + text +
                  QLatin1Char('`') + mark;
        at = match.capturedEnd();
    }
    return result + page.mid(at);
}

/// Markdown says nothing of how tables look.
void rule(QTextTable &table)
{
    QTextTableFormat format = table.format();
    format.setBorderCollapse(true);
    format.setBorder(1);
    format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
    format.setBorderBrush(Theme::current().border);
    format.setCellPadding(5);
    format.setTopMargin(6);
    format.setBottomMargin(6);
    table.setFormat(format);
}

QTextCursor wholeCell(const QTextTableCell &cell)
{
    QTextCursor content = cell.firstCursorPosition();
    content.setPosition(cell.lastPosition(), QTextCursor::KeepAnchor);
    return content;
}

/// Qt has no tables from right to left: the first column comes last.
void mirror(QTextTable &table)
{
    for (int row = 0; row < table.rows(); ++row) {
        for (int left = 0, right = table.columns() - 1; left < right; ++left, --right) {
            QTextCursor first = wholeCell(table.cellAt(row, left));
            QTextCursor last = wholeCell(table.cellAt(row, right));
            const QTextDocumentFragment text = first.selection();
            first.insertFragment(last.selection());
            wholeCell(table.cellAt(row, right)).insertFragment(text);
        }
    }
    QTextTableFormat format = table.format();
    format.setAlignment(Qt::AlignRight);
    table.setFormat(format);
}

/// What QTextDocument makes italic though its script has none.
void emphasise(QTextDocument &document)
{
    struct Place
    {
        int from, to;
        QTextCharFormat format;
    };
    QTextCursor cursor(&document);
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        QList<Place> places; // changing formats would end the iterator
        for (auto it = block.begin(); !it.atEnd(); ++it) {
            const QTextFragment part = it.fragment();
            places.append({part.position(), part.position() + part.length(),
                           emphasised(part.charFormat(), part.text())});
        }
        for (const Place &place : places) {
            cursor.setPosition(place.from);
            cursor.setPosition(place.to, QTextCursor::KeepAnchor);
            cursor.setCharFormat(place.format);
        }
    }
}

} // namespace

void fillHelp(QTextDocument &document, const QString &page)
{
    const bool fromRight = page.isRightToLeft();
    // By the page, not by each paragraph: some begin with a name in other letters.
    QTextOption option = document.defaultTextOption();
    option.setTextDirection(fromRight ? Qt::RightToLeft : Qt::LeftToRight);
    document.setDefaultTextOption(option);
    document.setMarkdown(withCode(page));
    emphasise(document);
    for (QTextFrame *frame : document.rootFrame()->childFrames()) {
        if (auto *table = qobject_cast<QTextTable *>(frame)) {
            rule(*table);
            if (fromRight)
                mirror(*table);
        }
    }
}

} // namespace fireside
