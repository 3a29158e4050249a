#pragma once
#include <QByteArray>
#include <QList>
#include <QStringView>

namespace fireside {

/// The few tags of HTML that replies are formatted with. All others are shown as they are written.
enum class Tag {
    None,
    Break,
    Rule,
    Bold,
    Italic,
    Underline,
    Strike,
    Mark,
    Code,
    Keys, // <kbd>
    Subscript,
    Superscript,
    Small,
    Summary,
    Details,
};

struct HtmlTag
{
    Tag tag = Tag::None;
    bool closes = false;
    bool operator==(const HtmlTag &) const = default;
};

/// What "<b>" or "</sub>" is. Attributes are allowed but mean nothing.
HtmlTag parseTag(QStringView text);

/// One for each MD_TEXT_HTML of a Markdown text, in their order. None is shown as it is written:
/// what begins and does not end within the same paragraph and span, or the reverse. Details (and a
/// summary's end in another paragraph) count only in a line of their own. Linear.
QList<HtmlTag> readTags(const QByteArray &markdown);

/// Name for a copy as HTML: "sub"; null when nothing stands for it.
const char *tagName(Tag tag);

} // namespace fireside
