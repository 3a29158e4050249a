#include "ui/transcript/markdown_tags.h"

#include "ui/transcript/markdown_reader.h"

#include <QHash>
#include <QRegularExpression>

#include <algorithm>
#include <array>

namespace fireside {

namespace {

constexpr qsizetype kMaxTagLength = 200;

/// Follows md4c's events and finds which tags belong together.
class TagMatcher
{
public:
    int enterBlock(MD_BLOCKTYPE, void *)
    {
        endParagraph();
        return 0;
    }
    void leaveBlock(MD_BLOCKTYPE, void *) { endParagraph(); }
    void enterSpan(MD_SPANTYPE, void *)
    {
        m_spans.append(m_open.size());
        note(Piece::Text);
    }
    void leaveSpan(MD_SPANTYPE)
    {
        if (!m_spans.isEmpty())
            closeDownTo(m_spans.takeLast());
        note(Piece::Text);
    }

    void addText(MD_TEXTTYPE type, const QString &text)
    {
        if (type == MD_TEXT_HTML)
            addTag(parseTag(text));
        else if (type == MD_TEXT_BR || type == MD_TEXT_SOFTBR)
            note(Piece::LineEnd);
        else if (!text.trimmed().isEmpty())
            note(Piece::Text);
    }

    QList<HtmlTag> take() { return std::move(m_tags); }

private:
    struct Open
    {
        Tag tag;
        qsizetype index; // in m_tags
    };
    struct Piece
    {
        enum Kind { Text, LineEnd, Loose } kind = Text; // Loose: may stand in a line of its own
        HtmlTag tag = {};
        qsizetype index = 0;
    };

    void note(Piece::Kind kind)
    {
        if (kind == Piece::LineEnd || m_line.isEmpty() || m_line.last().kind != kind)
            m_line.append(Piece{kind, {}, 0});
    }

    void addTag(HtmlTag found)
    {
        const qsizetype index = m_tags.size();
        m_tags.append(HtmlTag{});
        switch (found.tag) {
        case Tag::None:
            note(Piece::Text);
            return;
        case Tag::Break:
            m_tags.last() = found;
            note(Piece::LineEnd);
            return;
        case Tag::Rule:
            break;
        default:
            if (found.closes)
                match(found.tag, index);
            else
                open(found.tag, index);
        }
        if (found.tag != Tag::Rule && found.tag < Tag::Summary)
            return note(Piece::Text);
        m_line.append(Piece{Piece::Loose, found, index});
        m_hasLoose = true;
    }

    void open(Tag tag, qsizetype index)
    {
        m_open.append({tag, index});
        ++m_openOf[std::size_t(tag)];
    }

    /// What was opened in between and is not closed stays text.
    void match(Tag tag, qsizetype index)
    {
        if (m_openOf[std::size_t(tag)] == 0)
            return;
        const qsizetype floor = m_spans.isEmpty() ? 0 : m_spans.last();
        for (qsizetype i = m_open.size() - 1; i >= floor; --i) {
            if (m_open[i].tag != tag)
                continue;
            if (tag == Tag::Details) {
                m_partners.insert(m_open[i].index, index);
                m_partners.insert(index, m_open[i].index);
            } else {
                m_tags[m_open[i].index] = {tag, false};
                m_tags[index] = {tag, true};
            }
            closeDownTo(i);
            return;
        }
    }

    void closeDownTo(qsizetype size)
    {
        while (m_open.size() > size)
            --m_openOf[std::size_t(m_open.takeLast().tag)];
    }

    /// A loose tag counts when nothing but others of its kind stands in its line. Details that end
    /// within the paragraph count from the beginning of a line to the end of one.
    void endParagraph()
    {
        for (qsizetype i = 0; m_hasLoose && i < m_line.size(); ++i) {
            const Piece &piece = m_line[i];
            if (piece.kind != Piece::Loose || m_tags[piece.index].tag != Tag::None)
                continue;
            const bool first = i == 0 || m_line[i - 1].kind != Piece::Text;
            const bool last = i + 1 == m_line.size() || m_line[i + 1].kind != Piece::Text;
            const qsizetype partner = m_partners.value(piece.index, -1);
            const bool pair =
                partner >= 0 && (piece.tag.closes ? last && hasEffect(partner) : first);
            if ((first && last) || pair)
                m_tags[piece.index] = {piece.tag.tag == Tag::Rule ? Tag::Rule : Tag::Details,
                                       piece.tag.closes};
        }
        m_line.clear();
        m_partners.clear();
        m_hasLoose = false;
        closeDownTo(0);
        m_spans.clear();
    }

    bool hasEffect(qsizetype index) const { return m_tags[index].tag != Tag::None; }

    QList<HtmlTag> m_tags;
    QHash<qsizetype, qsizetype> m_partners; // details that begin and end in this paragraph
    QList<Open> m_open;
    QList<qsizetype> m_spans; // how many tags were open where each began
    std::array<int, std::size_t(Tag::Details) + 1> m_openOf{};
    QList<Piece> m_line;
    bool m_hasLoose = false;
};

} // namespace

HtmlTag parseTag(QStringView text)
{
    static const QHash<QString, Tag> kTags{
        {"br", Tag::Break},      {"hr", Tag::Rule},         {"b", Tag::Bold},
        {"strong", Tag::Bold},   {"i", Tag::Italic},        {"em", Tag::Italic},
        {"cite", Tag::Italic},   {"var", Tag::Italic},      {"dfn", Tag::Italic},
        {"u", Tag::Underline},   {"ins", Tag::Underline},   {"s", Tag::Strike},
        {"strike", Tag::Strike}, {"del", Tag::Strike},      {"mark", Tag::Mark},
        {"code", Tag::Code},     {"tt", Tag::Code},         {"samp", Tag::Code},
        {"kbd", Tag::Keys},      {"sub", Tag::Subscript},   {"sup", Tag::Superscript},
        {"small", Tag::Small},   {"summary", Tag::Summary}, {"details", Tag::Details}};
    // Attributes have values: "a <b and c> d" is no bold text.
    static const QRegularExpression kTag(QStringLiteral(
        "^<(/?)([A-Za-z]+)((?:\\s+[A-Za-z-]+\\s*=\\s*(?:\"[^\"]*\"|'[^']*'|[^\\s\"'=<>`]+))*)"
        "(\\s+open)?\\s*/?>$"));
    if (text.size() < 3 || text.size() > kMaxTagLength || text[0] != QLatin1Char('<'))
        return {};
    const QRegularExpressionMatch match = kTag.match(text.toString());
    if (!match.hasMatch())
        return {};
    const Tag tag = kTags.value(match.captured(2).toLower(), Tag::None);
    const bool closes = match.capturedLength(1) > 0;
    const bool single = tag == Tag::Break || tag == Tag::Rule;
    if (tag == Tag::None || (match.capturedLength(4) > 0 && tag != Tag::Details) ||
        (closes && (match.capturedLength(3) > 0 || tag == Tag::Rule)))
        return {};
    return {tag, closes && !single};
}

QList<HtmlTag> readTags(const QByteArray &markdown)
{
    if (!markdown.contains('<'))
        return {};
    TagMatcher matcher;
    readMarkdown(markdown, matcher);
    return matcher.take();
}

const char *tagName(Tag tag)
{
    switch (tag) {
    case Tag::Bold:
    case Tag::Summary:
        return "b";
    case Tag::Italic:
        return "i";
    case Tag::Underline:
        return "u";
    case Tag::Strike:
        return "s";
    case Tag::Mark:
        return "mark";
    case Tag::Code:
        return "code";
    case Tag::Keys:
        return "kbd";
    case Tag::Subscript:
        return "sub";
    case Tag::Superscript:
        return "sup";
    case Tag::Small:
        return "small";
    default:
        return nullptr;
    }
}

} // namespace fireside
