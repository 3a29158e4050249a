#include "ui/transcript/section_document.h"

#include "ui/transcript/formula_object.h"
#include "ui/transcript/markdown_builder.h"
#include "ui/transcript/markdown_reader.h"
#include "ui/transcript/text_direction.h"

#include <QFontMetricsF>
#include <QTextBlock>
#include <QUrl>

namespace fireside {

namespace {

/// Loads nothing, whatever a text names.
class SealedDocument : public QTextDocument
{
protected:
    QVariant loadResource(int, const QUrl &) override { return {}; }
};

/// A base letter with thousands of combining marks would take the shaper seconds to draw.
QString tamed(QStringView text)
{
    constexpr int kMaxMarks = 16;
    QString result;
    result.reserve(text.size());
    int marks = 0;
    for (const QChar c : text) {
        marks = c.isMark() ? marks + 1 : 0;
        if (marks <= kMaxMarks)
            result += c;
    }
    return result;
}

/// md4c fills up every row to the header's width, so that a small text can ask for millions of
/// cells.
bool hasHugeTable(QStringView text)
{
    constexpr qsizetype kMaxColumns = 64;
    for (qsizetype start = 0; start < text.size();) {
        qsizetype end = text.indexOf(QLatin1Char('\n'), start);
        if (end < 0)
            end = text.size();
        if (text.mid(start, end - start).count(QLatin1Char('|')) > kMaxColumns)
            return true;
        start = end + 1;
    }
    return false;
}

} // namespace

std::unique_ptr<QTextDocument> newDocument(const RenderStyle &style)
{
    auto document = std::make_unique<SealedDocument>();
    document->setUndoRedoEnabled(false);
    document->setDocumentMargin(0);
    document->setDefaultFont(style.text);
    QTextOption option;
    option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    option.setTabStopDistance(4 * QFontMetricsF(style.code).horizontalAdvance(QLatin1Char(' ')));
    document->setDefaultTextOption(option);
    return document;
}

bool isSafeLink(const QString &address)
{
    const QUrl url(address, QUrl::StrictMode);
    const QString scheme = url.scheme();
    return url.isValid() && !url.host().isEmpty() &&
           (scheme == QLatin1String("http") || scheme == QLatin1String("https"));
}

void appendSection(RenderedSection &target, const RenderStyle &style, const Section &section,
                   QStringView source, const QString &references)
{
    const QString text = tamed(source);
    if (section.kind == Section::Kind::Plain)
        return MarkdownBuilder(target, style).appendPlain(text);
    if (section.kind == Section::Kind::Code)
        return MarkdownBuilder(target, style).appendCode(text, section.language, &section);
    FormulaMarks formulas;
    const QString marked = withFootnotesAsText(formulas.hide(FormulaMarks::markless(text)));
    QByteArray markdown = marked.toUtf8();
    if (!references.isEmpty())
        markdown += "\n\n" + references.toUtf8();
    if (hasHugeTable(marked) || !MarkdownBuilder::canShow(markdown))
        MarkdownBuilder(target, style).appendPlain(text.trimmed());
    else
        MarkdownBuilder(target, style, formulas).build(markdown);
}

RenderedSection renderSection(const Section &section, QStringView source, const QString &references)
{
    RenderedSection result;
    const RenderStyle style = RenderStyle::screen();
    result.document = newDocument(style);
    appendSection(result, style, section, source, references);
    if (section.kind == Section::Kind::Markdown)
        settleDirections(*result.document);
    if (result.hasFormulas)
        drawFormulas(*result.document);
    result.above = result.document->firstBlock().blockFormat().topMargin();
    result.below = result.document->lastBlock().blockFormat().bottomMargin();
    return result;
}

} // namespace fireside
