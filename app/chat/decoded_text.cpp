#include "app/chat/decoded_text.h"

#include <QList>
#include <QStringDecoder>

#include <algorithm>
#include <array>

namespace fireside {
namespace {

struct Mark
{
    QByteArray bytes;
    QStringConverter::Encoding encoding;
    QString name;
};

const QString kUtf16 = QStringLiteral("UTF-16"), kUtf32 = QStringLiteral("UTF-32");

std::optional<QString> decoded(QByteArrayView bytes, QStringConverter::Encoding encoding)
{
    const bool wide =
        encoding == QStringConverter::Utf32LE || encoding == QStringConverter::Utf32BE;
    const qsizetype unit = encoding == QStringConverter::Utf8 ? 1 : wide ? 4 : 2;
    QStringDecoder decoder(encoding, QStringConverter::Flag::Stateless);
    QString text = decoder(bytes);
    if (bytes.size() % unit != 0 || decoder.hasError() || !text.isValidUtf16())
        return std::nullopt;
    return text;
}

/// Tabs, line ends, form feeds and the escapes of terminals are parts of texts.
bool isTextControl(char16_t c)
{
    return (c >= 0x08 && c <= 0x0D) || c == 0x1B || c == 0x1A;
}

bool isPlausible(const QString &text)
{
    const QList<uint> characters = text.toUcs4();
    return std::all_of(characters.cbegin(), characters.cend(), [](uint c) {
        const QChar::Category category = QChar::category(static_cast<char32_t>(c));
        if (category == QChar::Other_Control)
            return isTextControl(static_cast<char16_t>(c));
        return category != QChar::Other_NotAssigned && category != QChar::Other_PrivateUse &&
               category != QChar::Other_Surrogate;
    });
}

/// Where zero bytes stand tells how wide characters are, and which of their bytes comes first.
std::optional<DecodedText> withoutMark(const QByteArray &bytes)
{
    std::array<qsizetype, 4> zeros{};
    for (qsizetype i = 0; i < bytes.size(); ++i)
        zeros[static_cast<std::size_t>(i % 4)] += bytes[i] == 0 ? 1 : 0;
    const qsizetype quarter = bytes.size() / 4;
    const auto all = [&](std::size_t at) { return bytes.size() % 4 == 0 && zeros[at] == quarter; };
    std::optional<QString> text;
    QString name = kUtf32;
    if (all(3) && zeros[2] > 0 && zeros[0] == 0)
        text = decoded(bytes, QStringConverter::Utf32LE);
    else if (all(0) && zeros[1] > 0 && zeros[3] == 0)
        text = decoded(bytes, QStringConverter::Utf32BE);
    if (!text && bytes.size() % 2 == 0) {
        name = kUtf16;
        if (zeros[0] + zeros[2] == 0)
            text = decoded(bytes, QStringConverter::Utf16LE);
        else if (zeros[1] + zeros[3] == 0)
            text = decoded(bytes, QStringConverter::Utf16BE);
    }
    if (!text || !isPlausible(*text))
        return std::nullopt;
    return DecodedText{*text, name};
}

char16_t windows1252(unsigned char byte)
{
    // 0: no character.
    static constexpr std::array<char16_t, 32> kUpperControls{
        0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
        0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
        0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};
    return byte >= 0x80 && byte < 0xA0 ? kUpperControls[byte - 0x80U] : byte;
}

/// Western languages write few letters beyond ASCII; where there are many it is another encoding.
std::optional<DecodedText> western(const QByteArray &bytes)
{
    DecodedText result{{}, QStringLiteral("Windows-1252")};
    qsizetype high = 0;
    for (const char byte : bytes) {
        const char16_t c = windows1252(static_cast<unsigned char>(byte));
        if (c == 0 || (c < 0x20 && !isTextControl(c)) || c == 0x7F)
            return std::nullopt;
        high += c >= 0x80 ? 1 : 0;
        result.text += QChar(c);
    }
    constexpr qsizetype kMaxHighShare = 4; // one in so many
    if (high * kMaxHighShare > bytes.size())
        return std::nullopt;
    return result;
}

} // namespace

std::optional<DecodedText> decodedText(const QByteArray &bytes)
{
    static const Mark kMarks[] = {
        // The longer ones first: one begins like another.
        {QByteArray("\xFF\xFE\0\0", 4), QStringConverter::Utf32LE, kUtf32},
        {QByteArray("\0\0\xFE\xFF", 4), QStringConverter::Utf32BE, kUtf32},
        {QByteArray("\xEF\xBB\xBF"), QStringConverter::Utf8, {}},
        {QByteArray("\xFF\xFE"), QStringConverter::Utf16LE, kUtf16},
        {QByteArray("\xFE\xFF"), QStringConverter::Utf16BE, kUtf16},
    };
    for (const Mark &mark : kMarks) {
        if (!bytes.startsWith(mark.bytes))
            continue;
        const std::optional<QString> text =
            decoded(QByteArrayView(bytes).sliced(mark.bytes.size()), mark.encoding);
        if (!text || text->contains(QChar(u'\0')))
            return std::nullopt;
        return DecodedText{*text, mark.name};
    }
    if (bytes.contains('\0'))
        return withoutMark(bytes);
    if (const std::optional<QString> text = decoded(bytes, QStringConverter::Utf8))
        return DecodedText{*text, {}};
    return western(bytes);
}

} // namespace fireside
