#include "app/tools/visible_text.h"

#include <limits>

namespace fireside {
namespace {

bool isSelector(char32_t c) // of a letter's variant
{
    return (c >= 0xFE00 && c <= 0xFE0F) || (c >= 0xE0100 && c <= 0xE01EF);
}

bool isHidden(char32_t c, char32_t before)
{
    const bool control = (c < 0x20 && c != U'\t' && c != U'\n') || (c >= 0x7F && c <= 0x9F);
    const bool turns = (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
    const bool tag = c >= 0xE0000 && c <= 0xE007F;
    const bool half = c >= 0xD800 && c <= 0xDFFF;
    return control || turns || tag || half || (isSelector(c) && isSelector(before));
}

} // namespace

QString visible(const QString &text, qsizetype most, qsizetype &end)
{
    QString shown;
    char32_t before = 0;
    for (end = 0; end < text.size();) {
        const bool pair =
            text[end].isHighSurrogate() && end + 1 < text.size() && text[end + 1].isLowSurrogate();
        const qsizetype length = pair ? 2 : 1;
        const char32_t c =
            pair ? QChar::surrogateToUcs4(text[end], text[end + 1]) : text[end].unicode();
        QString piece = text.mid(end, length);
        if (c == U'\r')
            piece =
                end + 1 < text.size() && text[end + 1] == u'\n' ? QString() : QStringLiteral("\n");
        else if (isHidden(c, before)) {
            piece.clear();
            for (qsizetype i = 0; i < length; ++i)
                piece += QStringLiteral("\\u%1").arg(text[end + i].unicode(), 4, 16, QChar(u'0'));
        }
        if (shown.size() + piece.size() > most)
            break;
        shown += piece;
        before = c;
        end += length;
    }
    return shown;
}

QString visible(const QString &text)
{
    qsizetype end = 0;
    return visible(text, std::numeric_limits<qsizetype>::max(), end);
}

} // namespace fireside
