#include "ui/transcript/markdown_html.h"

#include "ui/transcript/formula_object.h"
#include "ui/transcript/markdown_reader.h"
#include "ui/transcript/markdown_tags.h"

#include <QHash>
#include <QList>
#include <QUrl>

namespace fireside {

namespace {

/// Writes what md4c reads.
class HtmlWriter
{
public:
    QString write(const QString &markdown)
    {
        const QByteArray utf8 =
            withFootnotesAsText(m_formulas.hide(FormulaMarks::markless(markdown))).toUtf8();
        m_tags = readTags(utf8);
        return readMarkdown(utf8, *this) ? m_html : plainToHtml(markdown);
    }

    int enterBlock(MD_BLOCKTYPE type, void *detail)
    {
        switch (type) {
        case MD_BLOCK_QUOTE:
            m_html += QLatin1String("<blockquote>\n");
            break;
        case MD_BLOCK_UL:
            m_html += QLatin1String("<ul>\n");
            break;
        case MD_BLOCK_OL:
            m_html += QStringLiteral("<ol start=\"%1\">\n")
                          .arg(static_cast<MD_BLOCK_OL_DETAIL *>(detail)->start);
            break;
        case MD_BLOCK_LI: {
            const auto *item = static_cast<MD_BLOCK_LI_DETAIL *>(detail);
            m_html += QLatin1String("<li>");
            if (item->is_task)
                m_html += item->task_mark == ' ' ? QStringLiteral("☐ ") : QStringLiteral("☑ ");
            break;
        }
        case MD_BLOCK_H:
            m_html += QStringLiteral("<h%1>").arg(static_cast<MD_BLOCK_H_DETAIL *>(detail)->level);
            break;
        case MD_BLOCK_CODE: {
            const QString language =
                attribute(static_cast<MD_BLOCK_CODE_DETAIL *>(detail)->lang).toHtmlEscaped();
            m_html += language.isEmpty()
                          ? QStringLiteral("<pre><code>")
                          : QStringLiteral("<pre><code class=\"language-%1\">").arg(language);
            break;
        }
        case MD_BLOCK_P:
            m_html += QLatin1String("<p>");
            break;
        case MD_BLOCK_HR:
            m_html += QLatin1String("<hr>\n");
            break;
        case MD_BLOCK_TABLE:
            m_html += QLatin1String("<table>\n");
            break;
        case MD_BLOCK_TR:
            m_html += QLatin1String("<tr>");
            break;
        case MD_BLOCK_TH:
            m_html += cellStart(detail, "th");
            break;
        case MD_BLOCK_TD:
            m_html += cellStart(detail, "td");
            break;
        default: // the document, a table's head and body
            break;
        }
        m_inTable = type == MD_BLOCK_TABLE || (m_inTable && type != MD_BLOCK_DOC);
        m_inCode = type == MD_BLOCK_CODE;
        return 0;
    }

    void leaveBlock(MD_BLOCKTYPE type, void *detail)
    {
        static const QHash<int, const char *> kEnds{{MD_BLOCK_QUOTE, "</blockquote>\n"},
                                                    {MD_BLOCK_UL, "</ul>\n"},
                                                    {MD_BLOCK_OL, "</ol>\n"},
                                                    {MD_BLOCK_LI, "</li>\n"},
                                                    {MD_BLOCK_CODE, "</code></pre>\n"},
                                                    {MD_BLOCK_P, "</p>\n"},
                                                    {MD_BLOCK_TABLE, "</table>\n"},
                                                    {MD_BLOCK_TR, "</tr>\n"},
                                                    {MD_BLOCK_TH, "</th>"},
                                                    {MD_BLOCK_TD, "</td>"}};
        m_inCode = false;
        m_inTable = m_inTable && type != MD_BLOCK_TABLE;
        if (type == MD_BLOCK_P && m_html.endsWith(QLatin1String("<p>")))
            m_html.chop(3); // it held only tags that are not shown
        else if (type == MD_BLOCK_H)
            m_html +=
                QStringLiteral("</h%1>\n").arg(static_cast<MD_BLOCK_H_DETAIL *>(detail)->level);
        else
            m_html += QLatin1String(kEnds.value(type, ""));
    }

    void enterSpan(MD_SPANTYPE type, void *detail)
    {
        if (type == MD_SPAN_A) {
            const QString address = attribute(static_cast<MD_SPAN_A_DETAIL *>(detail)->href);
            m_links.append(isLink(address));
            if (m_links.last())
                m_html += QStringLiteral("<a href=\"%1\">").arg(address.toHtmlEscaped());
            return;
        }
        if (const char *name = nameOf(type))
            m_html += QStringLiteral("<%1>").arg(QLatin1String(name));
    }

    void leaveSpan(MD_SPANTYPE type)
    {
        if (type == MD_SPAN_A) {
            if (!m_links.isEmpty() && m_links.takeLast())
                m_html += QLatin1String("</a>");
        } else if (const char *name = nameOf(type)) {
            m_html += QStringLiteral("</%1>").arg(QLatin1String(name));
        }
    }

    void addText(MD_TEXTTYPE type, const QString &text)
    {
        switch (type) {
        case MD_TEXT_BR:
            m_html += QLatin1String("<br>\n");
            break;
        case MD_TEXT_SOFTBR:
            m_html += QLatin1Char('\n');
            break;
        case MD_TEXT_NULLCHAR:
            m_html += QChar::ReplacementCharacter;
            break;
        case MD_TEXT_ENTITY:
            m_html += text; // as it was written: &amp;
            break;
        case MD_TEXT_HTML:
            addTag(text);
            break;
        case MD_TEXT_CODE:
            m_html +=
                m_formulas.restore(m_inTable && !m_inCode ? tableCode(text) : text).toHtmlEscaped();
            break;
        default: // formulas are their source
            m_html += m_formulas.restore(text).toHtmlEscaped();
        }
    }

private:
    static bool isLink(const QString &address)
    {
        const QString scheme = QUrl(address).scheme().toLower();
        return scheme == QLatin1String("http") || scheme == QLatin1String("https") ||
               scheme == QLatin1String("mailto");
    }

    static QString cellStart(const void *detail, const char *name)
    {
        static const char *const kAligned[] = {"", " align=\"left\"", " align=\"center\"",
                                               " align=\"right\""};
        const auto align = static_cast<const MD_BLOCK_TD_DETAIL *>(detail)->align;
        return QStringLiteral("<%1%2>").arg(QLatin1String(name),
                                            QLatin1String(kAligned[int(align)]));
    }

    static const char *nameOf(MD_SPANTYPE type)
    {
        switch (type) {
        case MD_SPAN_EM:
            return "em";
        case MD_SPAN_STRONG:
            return "strong";
        case MD_SPAN_CODE:
            return "code";
        case MD_SPAN_DEL:
            return "del";
        default: // pictures are their words
            return nullptr;
        }
    }

    QString attribute(const MD_ATTRIBUTE &text) const
    {
        return m_formulas.restore(attributeText(text));
    }

    /// As the window shows it: tags that format, others as text.
    void addTag(const QString &text)
    {
        const HtmlTag tag = m_tags.value(m_nextTag++);
        if (tag.tag == Tag::None)
            m_html += text.toHtmlEscaped();
        else if (tag.tag == Tag::Break)
            m_html += QLatin1String("<br>");
        else if (tag.tag == Tag::Rule)
            m_html += QLatin1String("<hr>");
        else if (const char *name = tagName(tag.tag))
            m_html += QStringLiteral("<%1%2>").arg(QLatin1String(tag.closes ? "/" : ""),
                                                   QLatin1String(name));
        if (tag.closes && tag.tag == Tag::Summary)
            m_html += QLatin1String("<br>");
    }

    QString m_html;
    QList<bool> m_links; // whether each open one is written
    FormulaMarks m_formulas;
    QList<HtmlTag> m_tags;
    qsizetype m_nextTag = 0;
    bool m_inTable = false, m_inCode = false;
};

} // namespace

QString markdownToHtml(const QString &markdown)
{
    return HtmlWriter().write(markdown);
}

QString plainToHtml(const QString &text)
{
    return QStringLiteral("<p style=\"white-space:pre-wrap\">%1</p>\n").arg(text.toHtmlEscaped());
}

} // namespace fireside
