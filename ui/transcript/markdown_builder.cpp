#include "ui/transcript/markdown_builder.h"

#include "ui/style/emphasis.h"
#include "ui/style/theme.h"
#include "ui/transcript/code_colours.h"
#include "ui/transcript/code_languages.h"
#include "ui/transcript/md4c_call.h"
#include "ui/transcript/transcript_text.h"

#include <QCoreApplication>
#include <QHash>
#include <QTextBlock>
#include <QTextDocumentFragment>

#include <algorithm>

namespace fireside {

namespace {

constexpr double kParagraphGap = 10, kItemGap = 4, kIndent = 26, kQuoteIndent = 16;
constexpr int kDeepest = 8;     // levels of lists and quotes that still indent
constexpr int kMaxCells = 1200; // a bigger table is shown as the text it is

QString decodeEntity(const QString &entity)
{
    static QHash<QString, QString> cache; // interface thread only; bounded by what Qt knows
    if (const auto known = cache.constFind(entity); known != cache.constEnd())
        return *known;
    // md4c hands over nothing but "&name;" and "&#number;", so there is no markup in here.
    QString text = QTextDocumentFragment::fromHtml(entity).toPlainText();
    if (entity == QLatin1String("&nbsp;"))
        text = QString(QChar::Nbsp);
    if (cache.size() < 1000)
        cache.insert(entity, text);
    return text;
}

QString attributeText(const MD_ATTRIBUTE &attribute)
{
    QString result;
    if (!attribute.text)
        return result;
    for (int i = 0; attribute.substr_offsets[i] < attribute.size; ++i) {
        const MD_OFFSET from = attribute.substr_offsets[i], to = attribute.substr_offsets[i + 1];
        const QString piece = QString::fromUtf8(attribute.text + from, qsizetype(to - from));
        result += attribute.substr_types[i] == MD_TEXT_ENTITY ? decodeEntity(piece) : piece;
    }
    return result;
}

QColor colourOf(CodeColour colour)
{
    const Theme &theme = Theme::current();
    switch (colour) {
    case CodeColour::Keyword:
        return theme.syntaxKeyword;
    case CodeColour::Type:
        return theme.syntaxType;
    case CodeColour::String:
        return theme.syntaxString;
    case CodeColour::Comment:
        return theme.syntaxComment;
    case CodeColour::Number:
        return theme.syntaxNumber;
    case CodeColour::Function:
        return theme.syntaxFunction;
    }
    return theme.text;
}

} // namespace

MarkdownBuilder::MarkdownBuilder(RenderedSection &target, const FormulaMarks &formulas)
    : m_target(target)
    , m_formulas(formulas)
    , m_cursor(target.document.get())
{
    m_base.setForeground(Theme::current().text);
    m_block = m_base;
}

bool MarkdownBuilder::build(const QByteArray &utf8)
{
    MD_PARSER parser = {};
    parser.flags = MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_TASKLISTS |
                   MD_FLAG_PERMISSIVEURLAUTOLINKS | MD_FLAG_NOHTML | MD_FLAG_NOINDENTEDCODEBLOCKS;
    parser.enter_block = [](MD_BLOCKTYPE type, void *detail, void *self) {
        return md4cCall(
            [&] { return static_cast<MarkdownBuilder *>(self)->enterBlock(type, detail); });
    };
    parser.leave_block = [](MD_BLOCKTYPE type, void *, void *self) {
        return md4cCall([&] { return static_cast<MarkdownBuilder *>(self)->leaveBlock(type); });
    };
    parser.enter_span = [](MD_SPANTYPE type, void *detail, void *self) {
        return md4cCall([&] { static_cast<MarkdownBuilder *>(self)->enterSpan(type, detail); });
    };
    parser.leave_span = [](MD_SPANTYPE type, void *, void *self) {
        return md4cCall([&] { static_cast<MarkdownBuilder *>(self)->leaveSpan(type); });
    };
    parser.text = [](MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE size, void *self) {
        return md4cCall([&] {
            static_cast<MarkdownBuilder *>(self)->addText(type,
                                                          QString::fromUtf8(text, qsizetype(size)));
        });
    };
    return md_parse(utf8.constData(), MD_SIZE(utf8.size()), &parser, this) == 0;
}

double MarkdownBuilder::indent() const
{
    const auto lists = std::min<qsizetype>(m_lists.size(), kDeepest);
    return double(lists) * kIndent + std::min(m_quotes, kDeepest) * kQuoteIndent;
}

QTextBlockFormat MarkdownBuilder::proseFormat(double topMargin) const
{
    QTextBlockFormat format;
    format.setLineHeight(132, QTextBlockFormat::ProportionalHeight);
    format.setTopMargin(topMargin);
    format.setLeftMargin(indent());
    if (m_quotes)
        format.setProperty(kBlockQuote, std::min(m_quotes, kDeepest));
    return format;
}

void MarkdownBuilder::startBlock(double topMargin)
{
    QTextBlockFormat format = proseFormat(m_cursor.position() == 0 ? 0 : topMargin);
    if (!m_marker.isEmpty()) {
        format.setProperty(kBlockMarker, m_marker);
        m_marker.clear();
    }
    if (m_fresh) {
        m_cursor.setBlockFormat(format);
        m_cursor.setBlockCharFormat(textFormat());
    } else {
        m_cursor.insertBlock(format, textFormat());
    }
    m_fresh = m_afterFormula = false;
}

void MarkdownBuilder::startItem(const MD_BLOCK_LI_DETAIL &item)
{
    List &list = m_lists.last();
    if (item.is_task)
        m_marker = item.task_mark == ' ' ? QStringLiteral("☐") : QStringLiteral("☑");
    else if (list.ordered)
        m_marker = QString::number(list.next++) + QLatin1Char('.');
    else
        m_marker = m_lists.size() % 2 ? QStringLiteral("•") : QStringLiteral("◦");
    // Tight items have no paragraph of their own: their text follows at once.
    startBlock(list.tight ? kItemGap : kParagraphGap * 0.8);
    m_firstOfItem = true;
}

void MarkdownBuilder::startHeading(unsigned level)
{
    static constexpr double kScale[] = {1.5, 1.3, 1.15, 1.05, 1.0, 1.0};
    level = std::clamp(level, 1u, 6u);
    m_block = m_base;
    m_block.setFontWeight(QFont::DemiBold);
    m_block.setFontPointSize(m_target.document->defaultFont().pointSizeF() * kScale[level - 1]);
    if (!m_firstOfItem)
        startBlock(level < 3 ? 20 : 16);
    m_firstOfItem = false;
}

void MarkdownBuilder::addRule()
{
    m_firstOfItem = false;
    startBlock(kParagraphGap);
    QTextBlockFormat format = m_cursor.blockFormat();
    format.setProperty(kBlockRule, true);
    m_cursor.setBlockFormat(format);
}

int MarkdownBuilder::enterBlock(MD_BLOCKTYPE type, void *detail)
{
    switch (type) {
    case MD_BLOCK_QUOTE:
        ++m_quotes;
        break;
    case MD_BLOCK_UL:
        m_lists.append(
            {.ordered = false, .tight = static_cast<MD_BLOCK_UL_DETAIL *>(detail)->is_tight != 0});
        break;
    case MD_BLOCK_OL: {
        const auto *list = static_cast<MD_BLOCK_OL_DETAIL *>(detail);
        m_lists.append({.ordered = true, .tight = list->is_tight != 0, .next = list->start});
        break;
    }
    case MD_BLOCK_LI:
        startItem(*static_cast<MD_BLOCK_LI_DETAIL *>(detail));
        break;
    case MD_BLOCK_P:
        if (!m_firstOfItem)
            startBlock(kParagraphGap);
        m_firstOfItem = false;
        break;
    case MD_BLOCK_H:
        startHeading(static_cast<MD_BLOCK_H_DETAIL *>(detail)->level);
        break;
    case MD_BLOCK_HR:
        addRule();
        break;
    case MD_BLOCK_CODE:
        m_inCode = true;
        m_firstOfItem = false;
        m_codeLanguage =
            m_formulas.restore(attributeText(static_cast<MD_BLOCK_CODE_DETAIL *>(detail)->lang));
        break;
    case MD_BLOCK_TABLE: {
        const auto *table = static_cast<MD_BLOCK_TABLE_DETAIL *>(detail);
        const quint64 cells =
            quint64(table->col_count) * (quint64(table->body_row_count) + table->head_row_count);
        m_cellsBefore += int(std::min<quint64>(cells, kMaxCells + 1));
        if (m_cellsBefore > kMaxCells)
            return -1; // the section becomes plain text; md4c 0.5 goes on after positive values
        beginTable(*table);
        break;
    }
    case MD_BLOCK_TR:
        ++m_row;
        m_column = -1;
        break;
    case MD_BLOCK_TH:
    case MD_BLOCK_TD:
        beginCell(*static_cast<MD_BLOCK_TD_DETAIL *>(detail), type == MD_BLOCK_TH);
        break;
    default:
        break;
    }
    return 0;
}

int MarkdownBuilder::leaveBlock(MD_BLOCKTYPE type)
{
    m_afterFormula = false;
    m_spans.clear(); // md4c may leave spans open, or leave some that it never entered
    switch (type) {
    case MD_BLOCK_QUOTE:
        --m_quotes;
        break;
    case MD_BLOCK_UL:
    case MD_BLOCK_OL:
        m_lists.removeLast();
        break;
    case MD_BLOCK_LI:
        m_firstOfItem = false;
        m_marker.clear();
        break;
    case MD_BLOCK_TH:
        endHeaderCell();
        m_block = m_base;
        break;
    case MD_BLOCK_H:
    case MD_BLOCK_TD:
        m_block = m_base;
        break;
    case MD_BLOCK_CODE: {
        m_inCode = false;
        if (m_code.endsWith(QLatin1Char('\n')))
            m_code.chop(1);
        appendCode(m_formulas.restore(m_code), m_codeLanguage);
        m_code.clear();
        break;
    }
    case MD_BLOCK_TABLE:
        endTable();
        break;
    default:
        break;
    }
    return 0;
}

void MarkdownBuilder::enterSpan(MD_SPANTYPE type, void *detail)
{
    const Theme &theme = Theme::current();
    QTextCharFormat format = textFormat();
    switch (type) {
    case MD_SPAN_EM:
        format.setFontItalic(true);
        break;
    case MD_SPAN_STRONG:
        format.setFontWeight(QFont::Bold);
        break;
    case MD_SPAN_DEL:
        format.setFontStrikeOut(true);
        break;
    case MD_SPAN_CODE:
        format.setFontFamilies(Theme::monospace().families());
        format.setFontPointSize(Theme::monospace().pointSizeF());
        format.setBackground(theme.hover);
        break;
    case MD_SPAN_A: {
        const QString address =
            m_formulas.restore(attributeText(static_cast<MD_SPAN_A_DETAIL *>(detail)->href));
        if (isSafeLink(address)) {
            format.setAnchor(true);
            format.setAnchorHref(address);
            format.setForeground(theme.accent);
            format.setFontUnderline(true);
        }
        break;
    }
    case MD_SPAN_IMG: // never loaded: its description stands for it
        format.setForeground(theme.muted);
        format.setFontItalic(true);
        m_cursor.insertText(TranscriptTexts::tr("[image: "),
                            emphasised(format, TranscriptTexts::tr("[image: ")));
        break;
    default:
        break;
    }
    m_spans.append(format);
}

void MarkdownBuilder::leaveSpan(MD_SPANTYPE type)
{
    if (type == MD_SPAN_IMG)
        m_cursor.insertText(QStringLiteral("]"), textFormat());
    if (!m_spans.isEmpty())
        m_spans.removeLast();
}

void MarkdownBuilder::addText(MD_TEXTTYPE type, const QString &text)
{
    if (m_inCode) {
        m_code += text;
        return;
    }
    const bool lineEnd = type == MD_TEXT_BR || type == MD_TEXT_SOFTBR;
    if (m_afterFormula && lineEnd)
        return;
    if (m_afterFormula && type != MD_TEXT_NORMAL)
        startBlock(0);
    switch (type) {
    case MD_TEXT_NULLCHAR:
        m_cursor.insertText(QString(QChar::ReplacementCharacter), textFormat());
        break;
    case MD_TEXT_BR:
    case MD_TEXT_SOFTBR: // models write line breaks where they mean them
        m_cursor.insertText(QString(QChar::LineSeparator), textFormat());
        break;
    case MD_TEXT_ENTITY:
        m_cursor.insertText(decodeEntity(text), textFormat());
        break;
    case MD_TEXT_CODE:
        m_cursor.insertText(m_formulas.restore(text), textFormat());
        break;
    default:
        m_formulas.split(
            text, [this](const QString &words) { addWords(words); },
            [this](const FormulaMarks::Formula &formula) { addFormula(formula); });
        break;
    }
    m_firstOfItem = false;
}

void MarkdownBuilder::appendPlain(const QString &text)
{
    startBlock(0);
    QString lines = text;
    lines.replace(QLatin1Char('\n'), QChar::LineSeparator);
    m_cursor.insertText(lines, textFormat());
}

void MarkdownBuilder::appendCode(const QString &code, const QString &language,
                                 const Section *section)
{
    CodeBlock block;
    block.language = !section || section->call.isEmpty() ? languageTitle(language)
                     : section->answered                 ? TranscriptTexts::tr("Arguments")
                                         : TranscriptTexts::tr("Tool call: %1").arg(section->call);
    block.code = code;
    block.header = !section || !section->continued;
    block.openBelow = section && section->continues;
    block.left = indent();

    using namespace codebox;
    const bool afterCode = m_cursor.blockFormat().hasProperty(kBlockCode) && !m_fresh;
    const double above =
        block.header ? kMargin + kHeader + kPadTop + (afterCode ? kPadBottom + kMargin : 0) : 0;
    startBlock(above);
    QTextBlockFormat format;
    format.setLineHeight(125, QTextBlockFormat::ProportionalHeight);
    format.setLeftMargin(indent() + kPadX);
    format.setRightMargin(kPadX);
    format.setNonBreakableLines(true);
    format.setLayoutDirection(Qt::LeftToRight);
    format.setProperty(kBlockCode, int(m_target.codeBlocks.size()));
    if (m_quotes)
        format.setProperty(kBlockQuote, std::min(m_quotes, kDeepest));
    m_cursor.setBlockFormat(format);
    block.firstBlock = m_cursor.blockNumber();
    insertColoured(code, language);
    block.lastBlock = m_cursor.blockNumber();

    QTextBlockFormat bottom = m_cursor.blockFormat();
    bottom.setBottomMargin(block.openBelow ? 0 : kPadBottom + kMargin);
    m_cursor.setBlockFormat(bottom);
    QTextCursor first(m_target.document->findBlockByNumber(block.firstBlock));
    QTextBlockFormat top = first.blockFormat();
    top.setTopMargin(above);
    first.setBlockFormat(top);
    m_target.codeBlocks.append(block);
}

void MarkdownBuilder::insertColoured(const QString &code, const QString &language)
{
    QTextCharFormat plain = m_base;
    plain.setFont(Theme::monospace());
    m_cursor.setBlockCharFormat(plain);
    qsizetype at = 0;
    for (const ColouredRange &range : colourCode(code, language)) {
        m_cursor.insertText(code.mid(at, range.start - at), plain);
        QTextCharFormat format = plain;
        format.setForeground(colourOf(range.colour));
        format.setFontItalic(range.colour == CodeColour::Comment);
        m_cursor.insertText(code.mid(range.start, range.length), format);
        at = range.start + range.length;
    }
    m_cursor.insertText(code.mid(at), plain);
}

} // namespace fireside
