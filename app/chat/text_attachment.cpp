#include "app/chat/text_attachment.h"

#include "app/chat/decoded_text.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <optional>

namespace fireside {
namespace {

struct AttachmentTexts
{
    Q_DECLARE_TR_FUNCTIONS(fireside::TextAttachment)
};

/// Longer than any run of backticks inside, so that the block ends where the file does.
QString fenceFor(const QString &text)
{
    qsizetype longest = 0, run = 0;
    for (const QChar c : text) {
        run = c == u'`' ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    return QString(std::max<qsizetype>(3, longest + 1), u'`');
}

/// The block that a text ends in, if it is one of an attachment: "name:", a fence, lines, the
/// fence.
std::optional<TextAttachment> attachmentAtEnd(const QString &text)
{
    if (!text.endsWith(QLatin1String("```\n")))
        return std::nullopt;
    const qsizetype lastLine = text.lastIndexOf(u'\n', -2) + 1;
    const QString fence = text.mid(lastLine, text.size() - 1 - lastLine);
    if (fence.count(u'`') != fence.size())
        return std::nullopt;
    const qsizetype open = text.lastIndexOf(u'\n' + fence, lastLine - 2) + 1;
    if (open <= 1 || text[open + fence.size()] == u'`' || text[open - 2] != u':')
        return std::nullopt;
    const qsizetype begin = text.lastIndexOf(u'\n', open - 2) + 1;
    const QString name = text.mid(begin, open - 2 - begin);
    if (name.isEmpty() || name != name.simplified())
        return std::nullopt;
    return TextAttachment{text.mid(begin), {}, name};
}

} // namespace

TextAttachment readTextAttachment(const QString &path)
{
    const QFileInfo info(path);
    const QString name = info.fileName().simplified();
    // Devices and pipes have no end.
    if (!info.isFile())
        return {{}, AttachmentTexts::tr("“%1” is not a file.").arg(name)};
    if (info.size() > kMaxAttachmentBytes)
        return {{},
                AttachmentTexts::tr("“%1” is too long for a message: %2 KB, %3 KB at most.")
                    .arg(name)
                    .arg(info.size() / 1024)
                    .arg(kMaxAttachmentBytes / 1024)};
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return {{}, AttachmentTexts::tr("“%1” cannot be read: %2").arg(name, file.errorString())};
    const QByteArray bytes = file.read(kMaxAttachmentBytes + 1); // it may have grown meanwhile
    const std::optional<DecodedText> decoded = decodedText(bytes);
    if (!decoded || bytes.size() > kMaxAttachmentBytes)
        return {{}, AttachmentTexts::tr("“%1” is not a text file.").arg(name)};
    TextAttachment attachment = textAttachment(name, decoded->text);
    attachment.bytes = bytes.size();
    attachment.encoding = decoded->encoding;
    return attachment;
}

TextAttachment textAttachment(const QString &name, const QString &content)
{
    QString text = content;
    text.replace(QLatin1String("\r\n"), QLatin1String("\n"));
    if (!text.endsWith(u'\n'))
        text += u'\n';
    const QString fence = fenceFor(text);
    TextAttachment attachment{name + QLatin1String(":\n") + fence + QFileInfo(name).suffix() +
                                  u'\n' + text + fence + u'\n',
                              {},
                              name};
    attachment.bytes = content.toUtf8().size();
    return attachment;
}

qint64 TextAttachment::size() const
{
    if (bytes >= 0)
        return bytes;
    const qsizetype begin = text.indexOf(u'\n', text.indexOf(u'\n') + 1) + 1; // name, fence
    const qsizetype end = text.lastIndexOf(u'\n', -2) + 1;
    return text.mid(begin, end - begin).toUtf8().size();
}

QString ComposedText::whole() const
{
    QString text = words;
    for (const TextAttachment &file : files) {
        if (!text.isEmpty())
            text += text.endsWith(u'\n') ? QLatin1String("\n") : QLatin1String("\n\n");
        text += file.text;
    }
    return text;
}

ComposedText ComposedText::of(const QString &text)
{
    ComposedText result{text, {}};
    while (const std::optional<TextAttachment> file = attachmentAtEnd(result.words)) {
        result.files.prepend(*file);
        result.words.chop(file->text.size());
        // What whole() put between: one line break after a block's last line, else two.
        if (result.words.endsWith(u'\n'))
            result.words.chop(1);
        if (result.words.endsWith(u'\n') && !attachmentAtEnd(result.words))
            result.words.chop(1);
    }
    return result;
}

} // namespace fireside
