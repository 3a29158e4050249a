#include "engine/text/unicode.h"

#include "engine/core/error.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utf8proc.h>

namespace fireside {
namespace {

/// Number of bytes a lead byte announces and the range its second byte must lie in (Unicode 15,
/// table 3-7); length 0 for a byte that starts nothing.
struct Lead
{
    std::uint8_t length, secondMin, secondMax;
};

Lead leadOf(unsigned char byte)
{
    if (byte >= 0xC2 && byte <= 0xDF)
        return {2, 0x80, 0xBF};
    if (byte >= 0xE0 && byte <= 0xEF)
        return {3, static_cast<std::uint8_t>(byte == 0xE0 ? 0xA0 : 0x80),
                static_cast<std::uint8_t>(byte == 0xED ? 0x9F : 0xBF)};
    if (byte >= 0xF0 && byte <= 0xF4)
        return {4, static_cast<std::uint8_t>(byte == 0xF0 ? 0x90 : 0x80),
                static_cast<std::uint8_t>(byte == 0xF4 ? 0x8F : 0xBF)};
    return {0, 0, 0};
}

utf8proc_category_t categoryOf(char32_t c)
{
    return utf8proc_category(static_cast<utf8proc_int32_t>(c));
}

bool isAscii(std::string_view text)
{
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

} // namespace

Utf8Step decodeUtf8(std::string_view text, std::size_t at)
{
    const auto first = static_cast<unsigned char>(text[at]);
    if (first < 0x80)
        return {first, 1, Utf8State::Valid};
    const Lead lead = leadOf(first);
    if (lead.length == 0)
        return {0, 1, Utf8State::Invalid};
    char32_t codepoint = first & (0x7Fu >> lead.length);
    for (std::uint8_t i = 1; i < lead.length; ++i) {
        if (at + i >= text.size())
            return {0, i, Utf8State::Incomplete};
        const auto byte = static_cast<unsigned char>(text[at + i]);
        const unsigned min = i == 1 ? lead.secondMin : 0x80;
        const unsigned max = i == 1 ? lead.secondMax : 0xBF;
        if (byte < min || byte > max)
            return {0, i, Utf8State::Invalid};
        codepoint = codepoint << 6 | (byte & 0x3Fu);
    }
    return {codepoint, lead.length, Utf8State::Valid};
}

std::size_t validUtf8End(std::string_view text, std::size_t at)
{
    while (at < text.size()) {
        if (static_cast<unsigned char>(text[at]) < 0x80) {
            ++at;
            continue;
        }
        const Utf8Step step = decodeUtf8(text, at);
        if (step.state != Utf8State::Valid)
            break;
        at += step.length;
    }
    return at;
}

void appendUtf8(std::string &out, char32_t c)
{
    const auto put = [&out](char32_t byte) { out.push_back(static_cast<char>(byte)); };
    if (c < 0x80) {
        put(c);
    } else if (c < 0x800) {
        put(0xC0 | c >> 6);
        put(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        put(0xE0 | c >> 12);
        put(0x80 | (c >> 6 & 0x3F));
        put(0x80 | (c & 0x3F));
    } else {
        put(0xF0 | c >> 18);
        put(0x80 | (c >> 12 & 0x3F));
        put(0x80 | (c >> 6 & 0x3F));
        put(0x80 | (c & 0x3F));
    }
}

std::string replaceInvalidUtf8(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = validUtf8End(text, at);
        out.append(text.substr(at, end - at));
        at = end;
        if (at < text.size()) {
            out.append(kReplacementCharacter);
            at += decodeUtf8(text, at).length;
        }
    }
    return out;
}

std::string normalizeUnicode(std::string_view text, NormalForm form)
{
    if (isAscii(text))
        return std::string(text);
    int options = UTF8PROC_STABLE;
    options |=
        form == NormalForm::Nfc || form == NormalForm::Nfkc ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE;
    if (form == NormalForm::Nfkc || form == NormalForm::Nfkd)
        options |= UTF8PROC_COMPAT;
    utf8proc_uint8_t *mapped = nullptr;
    const auto length = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t *>(text.data()),
                                     static_cast<utf8proc_ssize_t>(text.size()), &mapped,
                                     static_cast<utf8proc_option_t>(options));
    const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(mapped, &std::free);
    if (length < 0)
        throw Error(ErrorKind::Memory, std::string("Unicode normalisation of ") +
                                           formatBytes(text.size()) +
                                           " failed: " + utf8proc_errmsg(length));
    return std::string(reinterpret_cast<const char *>(mapped), static_cast<std::size_t>(length));
}

std::string lowercaseUnicode(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Step step = decodeUtf8(text, at);
        if (step.codepoint < 0x80)
            out.push_back(text[at] >= 'A' && text[at] <= 'Z' ? static_cast<char>(text[at] + 32)
                                                             : text[at]);
        else if (step.codepoint == 0x130) // the one that becomes two characters: i and a dot above
            out.append("i\xCC\x87");
        else
            appendUtf8(out, static_cast<char32_t>(
                                utf8proc_tolower(static_cast<utf8proc_int32_t>(step.codepoint))));
        at += step.length;
    }
    return out;
}

bool isWhiteSpace(char32_t c)
{
    return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
           c == 0x205F || c == 0x3000;
}

bool isWordCharacter(char32_t c)
{
    switch (categoryOf(c)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_PC:
        return true;
    default:
        return false;
    }
}

bool isPunctuation(char32_t c)
{
    if (c < 0x80)
        return (c >= 0x21 && c <= 0x2F) || (c >= 0x3A && c <= 0x40) || (c >= 0x5B && c <= 0x60) ||
               (c >= 0x7B && c <= 0x7E);
    const utf8proc_category_t category = categoryOf(c);
    return category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
}

bool isNumeric(char32_t c)
{
    if (c < 0x80)
        return c >= '0' && c <= '9';
    const utf8proc_category_t category = categoryOf(c);
    return category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO;
}

bool isMark(char32_t c)
{
    const utf8proc_category_t category = categoryOf(c);
    return category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME;
}

bool isNonspacingMark(char32_t c)
{
    return c >= 0x300 && categoryOf(c) == UTF8PROC_CATEGORY_MN;
}

bool isOther(char32_t c)
{
    if (c < 0x80)
        return c < 0x20 || c == 0x7F;
    const utf8proc_category_t category = categoryOf(c);
    return category >= UTF8PROC_CATEGORY_CC && category <= UTF8PROC_CATEGORY_CO;
}

bool isIdeograph(char32_t c)
{
    // The fifth block should begin at U+2B820; BERT's tokenizers have it so.
    return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) ||
           (c >= 0x20000 && c <= 0x2A6DF) || (c >= 0x2A700 && c <= 0x2B73F) ||
           (c >= 0x2B740 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) ||
           (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
}

std::size_t graphemeEnd(std::string_view text, std::size_t at)
{
    Utf8Step step = decodeUtf8(text, at);
    utf8proc_int32_t state = 0;
    for (std::size_t end = at + step.length; end < text.size(); end += step.length) {
        const auto before = static_cast<utf8proc_int32_t>(step.codepoint);
        step = decodeUtf8(text, end);
        if (utf8proc_grapheme_break_stateful(before, static_cast<utf8proc_int32_t>(step.codepoint),
                                             &state))
            return end;
    }
    return text.size();
}

} // namespace fireside
