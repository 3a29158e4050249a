#pragma once
#include "ui/transcript/md4c_call.h"

#include <QByteArray>
#include <QString>
#include <QStringView>

#include <md4c.h>

// What all readers of Markdown have in common: the window, copies as HTML, and pages.
namespace fireside {

/// Of md4c. Tags within a line come as MD_TEXT_HTML, most of which stay text (HtmlTags).
inline constexpr unsigned kMarkdownFlags = MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH |
                                           MD_FLAG_TASKLISTS | MD_FLAG_PERMISSIVEURLAUTOLINKS |
                                           MD_FLAG_NOHTMLBLOCKS | MD_FLAG_NOINDENTEDCODEBLOCKS;

/// "&" for "&amp;".
QString decodeEntity(const QString &entity);
/// An address or a language, with its entities decoded.
QString attributeText(const MD_ATTRIBUTE &attribute);

/// "[label]: address" and nothing else: it is not shown, and other paragraphs may refer to it.
bool isLinkDefinition(QStringView line);

/// md4c has no footnotes: "[^1]: text" at the beginning of a line stays text, also where it looks
/// like the definition of a link.
QString withFootnotesAsText(const QString &markdown);

/// Code in a table escapes "|" for the table, not for itself.
QString tableCode(QString code);

/// Calls enterBlock(), leaveBlock(), enterSpan(), leaveSpan() and addText() of `target`. False when
/// its enterBlock() returned other than 0, one of them threw, or there is no memory.
template <typename Target>
bool readMarkdown(const QByteArray &utf8, Target &target)
{
    MD_PARSER parser = {};
    parser.flags = kMarkdownFlags;
    parser.enter_block = [](MD_BLOCKTYPE type, void *detail, void *self) {
        return md4cCall([&] { return static_cast<Target *>(self)->enterBlock(type, detail); });
    };
    parser.leave_block = [](MD_BLOCKTYPE type, void *detail, void *self) {
        return md4cCall([&] { static_cast<Target *>(self)->leaveBlock(type, detail); });
    };
    parser.enter_span = [](MD_SPANTYPE type, void *detail, void *self) {
        return md4cCall([&] { static_cast<Target *>(self)->enterSpan(type, detail); });
    };
    parser.leave_span = [](MD_SPANTYPE type, void *, void *self) {
        return md4cCall([&] { static_cast<Target *>(self)->leaveSpan(type); });
    };
    parser.text = [](MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE size, void *self) {
        return md4cCall([&] {
            static_cast<Target *>(self)->addText(type, QString::fromUtf8(text, qsizetype(size)));
        });
    };
    return md_parse(utf8.constData(), MD_SIZE(utf8.size()), &parser, &target) == 0;
}

} // namespace fireside
