#pragma once
#include "app/runtime/engine_types.h"

#include <QList>
#include <QString>
#include <QStringView>

namespace fireside {

/// A run of a message's text that is laid out on its own. Sections are what makes long messages
/// cheap: only visible ones are laid out, and while a reply streams only the last one changes.
struct Section
{
    enum class Kind {
        Markdown,
        Code,  // a top-level fenced block, without its fence lines
        Plain, // shown as it is
    };
    Kind kind = Kind::Markdown;
    qsizetype start = 0, length = 0; // UTF-16 units of the message's text
    QString language = {};           // Code: the fence's first word
    bool continued = false;          // the same code block began in the section before
    bool continues = false;          // … and goes on in the next one
    bool reasoning = false;          // what the model thought
    QString call = {};               // Code: the arguments of this tool
    bool answered = false;           // Code: of a call whose message has more to say
    bool operator==(const Section &) const = default;
};

struct SplitMessage
{
    QList<Section> sections;
    bool hasReasoning = false;
    bool reasoningOpen = false; // its end has not come yet
    bool cut = false;           // only the beginning is shown: offer "show all"
    QString references;         // link definitions, which every Markdown section may use
};

enum class TextStyle {
    Reply,     // Markdown with reasoning blocks
    Result,    // a call of a tool and, like thoughts, what came of it, without any markup
    Verbatim,  // what a person typed: line breaks and characters as they are, fenced code as code
    PlainText, // everything, however long, without any markup
};

/// Where a long message of one's own is folded: after so many lines or characters, at the end of a
/// line or word. The text's length when it is short enough, or only little longer.
qsizetype foldedLength(const QString &text);
inline constexpr int kFoldedLines = 14;
inline constexpr qsizetype kFoldedCharacters = 1400;

/// Beyond this a message is cut until the user asks for all of it, as plain text.
inline constexpr qsizetype kLongMessage = 256 * 1024;
inline constexpr qsizetype kShownOfLong = 32 * 1024;
/// No section is longer, whatever the input.
inline constexpr qsizetype kMarkdownSection = 16 * 1024;
inline constexpr qsizetype kPlainSection = 4 * 1024;

/// Linear in the text's length. `folded`: only up to foldedLength(). `limit`: a longer text is cut
/// to kShownOfLong. Grows stably: appending text
/// changes only the last sections. A reply without parts is one of an older version: its thoughts
/// stand before </think>.
SplitMessage splitMessage(const QString &text, TextStyle style,
                          const QList<MessagePart> &parts = {}, bool folded = false,
                          qsizetype limit = kLongMessage);

} // namespace fireside
