#include "ui/transcript/formula_object.h"

#include "ui/math/formula_finder.h"
#include "ui/math/formula_layout.h"
#include "ui/transcript/found_words.h"

#include <QAbstractTextDocumentLayout>
#include <QFontMetricsF>
#include <QPaintEngine>
#include <QPainter>
#include <QRegularExpression>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextLayout>

#include <algorithm>
#include <cmath>

Q_DECLARE_METATYPE(fireside::MathBox)

namespace fireside {

namespace {

enum FormulaProperty {
    kFormulaSource = QTextFormat::UserProperty + 0x100, // QString
    kFormulaBox,                                        // MathBox
    kFormulaWidth,                                      // double, px
};

// Not U+FDD0 and U+FDD1: documents mark their frames with these.
constexpr QChar kMarkStart(0xFDE0), kMarkEnd(0xFDE1);
constexpr double kDisplayGap = 6; // px above and below

/// A document sets an object with AlignMiddle half above and half below a quarter of its font's
/// x-height. How much more is above the baseline than below is therefore a matter of the font.
double unevenness(const QFont &font)
{
    return QFontMetrics(font).xHeight() / 2.0;
}

/// The largest with no more above than `box` has.
QFont fontFor(QFont font, const MathBox &box)
{
    QFont large = font;
    large.setPixelSize(1000);
    const double ratio = unevenness(large) / 1000, wanted = box.ascent - box.descent;
    int pixels = std::clamp(int(wanted / ratio) + 2, 1, 4000);
    for (font.setPixelSize(pixels); pixels > 1 && unevenness(font) > wanted;)
        font.setPixelSize(--pixels);
    return font;
}

/// Above the baseline, whole px: the line then is exactly where its text has it.
double ascentOf(const MathBox &box, const QTextFormat &format)
{
    return std::ceil(std::max(box.ascent, box.descent + unevenness(format.toCharFormat().font())));
}

/// What is found and copied in a file in place of the shapes: the source, unseen, as wide as these.
/// A gap would be taken for the end of a column.
void writeSource(QPainter &painter, QString source, QPointF origin, double width, double points)
{
    source.replace(QLatin1Char('\n'), QLatin1Char(' '));
    QFont font(MathFont::system().family());
    font.setPointSizeF(std::max(1.0, points));
    const double natural = QFontMetricsF(font).horizontalAdvance(source);
    if (natural <= 0 || width <= 0)
        return;
    painter.save();
    painter.translate(origin);
    painter.scale(width / natural, 1);
    painter.setFont(font);
    painter.setPen(QColor(0, 0, 0, 0));
    painter.drawText(QPointF(0, 0), source);
    painter.restore();
}

class FormulaObject : public QObject, public QTextObjectInterface
{
    Q_OBJECT
    Q_INTERFACES(QTextObjectInterface)
public:
    using QObject::QObject;

    QSizeF intrinsicSize(QTextDocument *, int, const QTextFormat &format) override
    {
        const auto box = format.property(kFormulaBox).value<MathBox>();
        const double uneven = unevenness(format.toCharFormat().font());
        return {std::ceil(box.width), 2 * ascentOf(box, format) - uneven};
    }

    /// Such an object gets its room around the baseline but is handed a place in the line's middle.
    void drawObject(QPainter *painter, const QRectF &rect, QTextDocument *document, int position,
                    const QTextFormat &format) override
    {
        const QTextBlock block = document->findBlock(position);
        const QTextLine line = block.layout()->lineForTextPosition(position - block.position());
        if (!line.isValid())
            return;
        const double top = rect.center().y() - line.height() / 2;
        const auto box = format.property(kFormulaBox).value<MathBox>();
        const QPointF origin(rect.left(), top + line.ascent());
        const QColor ink = format.foreground().color();
        if (painter->paintEngine()->type() != QPaintEngine::Pdf)
            return paintBox(*painter, box, origin, ink);
        fillBox(*painter, box, origin, ink);
        writeSource(*painter, format.stringProperty(kFormulaSource), origin, box.width,
                    document->defaultFont().pointSizeF());
    }
};

} // namespace

QString FormulaMarks::markless(QString text)
{
    return text.replace(kMarkStart, QChar::ReplacementCharacter)
        .replace(kMarkEnd, QChar::ReplacementCharacter);
}

/// Dollar signs around the mark: for Markdown it is punctuation, as the formula was. In a quote the
/// lines of a formula begin with marks that are not its own.
QString FormulaMarks::hide(const QString &text)
{
    QString result;
    qsizetype at = 0;
    for (const FoundFormula &found : findFormulas(text)) {
        result += QStringView(text).mid(at, found.start - at);
        Formula formula{text.mid(found.start, found.length),
                        text.mid(found.bodyStart, found.bodyLength), found.display};
        const qsizetype line = text.lastIndexOf(QLatin1Char('\n'), found.start) + 1;
        if (QStringView(text).mid(line).trimmed().startsWith(QLatin1Char('>'))) {
            static const QRegularExpression kQuote(QStringLiteral("\n[ \t]*(>[ \t]?)+"));
            formula.source.replace(kQuote, QStringLiteral("\n"));
            formula.body.replace(kQuote, QStringLiteral("\n"));
        }
        result += QLatin1Char('$') + kMarkStart + QString::number(m_formulas.size()) + kMarkEnd +
                  QLatin1Char('$');
        m_formulas.append(std::move(formula));
        at = found.start + found.length;
    }
    return result + text.mid(at);
}

const FormulaMarks::Formula *FormulaMarks::next(const QString &marked, qsizetype from,
                                                qsizetype &end) const
{
    const qsizetype start = marked.indexOf(QStringLiteral("$\uFDE0"), from);
    const qsizetype close = start < 0 ? -1 : marked.indexOf(kMarkEnd, start);
    if (close < 0)
        return nullptr;
    const qsizetype index = QStringView(marked).mid(start + 2, close - start - 2).toInt();
    end = close + 2;
    return index < m_formulas.size() ? &m_formulas[index] : nullptr;
}

QString FormulaMarks::restore(const QString &text) const
{
    QString result;
    split(
        text, [&](const QString &piece) { result += piece; },
        [&](const Formula &formula) { result += formula.source; });
    return result;
}

bool insertFormula(QTextCursor &cursor, const FormulaMarks::Formula &formula,
                   const QTextCharFormat &around, double textPixels, QSizeF largest)
{
    const std::optional<FormulaNode> tree = parseFormula(formula.body);
    if (!tree)
        return false;
    QTextDocument *document = cursor.document();
    QFont font = document->defaultFont();
    font.setPixelSize(std::max(1, int(std::lround(textPixels))));
    const MathFont &math = MathFont::system();
    // Letters as high as those around them, within reason.
    const double ratio = QFontMetricsF(font).xHeight() / (math.xHeight() * font.pixelSize());
    FormulaLook look;
    look.em = font.pixelSize() * std::clamp(ratio, 0.95, 1.25);
    look.display = formula.display;
    look.words = font;
    MathBox box = layOutFormula(*tree, look, math);
    const double scale = largest.isEmpty()
                             ? 1
                             : std::min(largest.width() / std::max(1.0, box.width),
                                        largest.height() / std::max(1.0, box.height()));
    if (scale < 1) {
        look.em *= scale;
        look.words.setPixelSize(std::max(1, int(look.words.pixelSize() * scale)));
        box = layOutFormula(*tree, look, math);
    }
    if (formula.display) {
        box.ascent += kDisplayGap;
        box.descent += kDisplayGap;
    }
    QTextCharFormat format = around;
    format.setFont(fontFor(font, box));
    format.setObjectType(kFormulaObject);
    format.setVerticalAlignment(QTextCharFormat::AlignMiddle);
    format.setProperty(kFormulaSource, formula.source);
    format.setProperty(kFormulaWidth, std::ceil(box.width));
    format.setProperty(kFormulaBox, QVariant::fromValue(box));
    cursor.insertText(QString(QChar::ObjectReplacementCharacter), format);
    return true;
}

void drawFormulas(QTextDocument &document)
{
    QAbstractTextDocumentLayout *layout = document.documentLayout();
    if (!layout->handlerForObject(kFormulaObject))
        layout->registerHandler(kFormulaObject, new FormulaObject(&document));
}

double formulaWidth(const QTextFormat &format)
{
    return format.objectType() == kFormulaObject ? format.doubleProperty(kFormulaWidth) : 0;
}

SourceText sourceText(const QTextBlock &block, int from, int length)
{
    SourceText result;
    const QString text = block.text();
    const int end = length < 0 ? int(text.size()) : std::min(int(text.size()), from + length);
    for (int i = from; i < end; ++i) {
        QString piece = text.at(i);
        if (text.at(i) == QChar::ObjectReplacementCharacter) {
            QTextCursor cursor(block);
            cursor.setPosition(block.position() + i + 1);
            const QTextCharFormat format = cursor.charFormat();
            if (format.objectType() == kFormulaObject)
                piece = format.stringProperty(kFormulaSource);
        }
        result.text += piece;
        result.places.append(QList<int>(piece.size(), i));
    }
    result.places.append(end);
    return result;
}

QList<std::pair<int, int>> findInBlock(const QTextBlock &block, const QStringList &words)
{
    QList<std::pair<int, int>> found;
    const SourceText source = sourceText(block);
    for (const auto &[start, length] : findWords(source.text, words)) {
        const int from = source.places[start];
        const int to = std::max(from, source.places[start + length - 1]) + 1;
        found.append({from, to - from});
    }
    return found;
}

} // namespace fireside

#include "formula_object.moc"
