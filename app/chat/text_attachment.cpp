#include "app/chat/text_attachment.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <QStringDecoder>

#include <algorithm>

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
    QStringDecoder decoder(QStringDecoder::Utf8);
    QString text = decoder(bytes);
    if (decoder.hasError() || bytes.contains('\0') || bytes.size() > kMaxAttachmentBytes)
        return {{}, AttachmentTexts::tr("“%1” is not a text file.").arg(name)};
    text.replace(QLatin1String("\r\n"), QLatin1String("\n"));
    if (!text.endsWith(u'\n'))
        text += u'\n';
    const QString fence = fenceFor(text);
    return {name + QLatin1String(":\n") + fence + info.suffix() + u'\n' + text + fence + u'\n', {}};
}

} // namespace fireside
