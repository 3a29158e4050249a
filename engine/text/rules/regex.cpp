#include "engine/text/rules/regex.h"

#include "engine/core/error.h"
#include "engine/text/unicode.h"

#include <algorithm>
#include <array>
#include <cstdint>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace fireside {
namespace {

// PCRE2's own \s also takes U+180E, which Unicode no longer counts as white space.
constexpr std::string_view kWhiteSpaceMembers =
    R"(\x{9}-\x{D}\x{20}\x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000})";

// \w of Oniguruma: the property Alphabetic, marks, decimal digits, connectors, and all numbers of
// Latin-1. PCRE2's knows no marks, and grew with its versions.
constexpr std::string_view kWordMembers =
    R"(\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\x{24B6}-\x{24E9}\x{1F130}-\x{1F149}\x{1F150}-\x{1F169})"
    R"(\x{1F170}-\x{1F189}\x{B2}\x{B3}\x{B9}\x{BC}-\x{BE})";

constexpr std::size_t kMaxPatternBytes = 1 << 16;

bool isHex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/// Rewrites the few spellings that differ between Oniguruma and PCRE2.
std::string translate(std::string_view pattern, std::string_view where)
{
    std::string out;
    bool inClass = false;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        const char c = pattern[i];
        if (c == '\\' && i + 1 < pattern.size()) {
            const char next = pattern[++i];
            const bool fourHex =
                next == 'u' && i + 4 < pattern.size() &&
                std::all_of(pattern.begin() + i + 1, pattern.begin() + i + 5, isHex);
            if (fourHex) {
                out.append("\\x{").append(pattern.substr(i + 1, 4)).append("}");
                i += 4;
            } else if (next == 's' || next == 'w') {
                out.append(inClass ? "" : "[")
                    .append(next == 's' ? kWhiteSpaceMembers : kWordMembers)
                    .append(inClass ? "" : "]");
            } else if ((next == 'S' || next == 'W') && !inClass) {
                out.append("[^")
                    .append(next == 'S' ? kWhiteSpaceMembers : kWordMembers)
                    .append("]");
            } else {
                out.push_back(c);
                out.push_back(next);
            }
            continue;
        }
        if (inClass && pattern.substr(i, 2) == "&&")
            throwUnsupported(std::string(where) +
                             ": the regular expression intersects classes (&&)");
        if (c == '[' && !inClass) {
            inClass = true;
            out.push_back(c);
            if (i + 1 < pattern.size() && pattern[i + 1] == '^')
                out.push_back(pattern[++i]);
            if (i + 1 < pattern.size() && pattern[i + 1] == ']') { // a leading ] is a member
                out.append("\\]");
                ++i;
            }
            continue;
        }
        if (inClass && pattern.substr(i, 2) == "[:") { // a POSIX class such as [:alpha:]
            const std::size_t end = pattern.find(":]", i);
            if (end != std::string_view::npos) {
                out.append(pattern.substr(i, end + 2 - i));
                i = end + 1;
                continue;
            }
        }
        if (c == ']')
            inClass = false;
        out.push_back(c);
    }
    return out;
}

std::string pcreMessage(int code)
{
    std::array<PCRE2_UCHAR, 256> text{};
    pcre2_get_error_message(code, text.data(), text.size());
    return reinterpret_cast<const char *>(text.data());
}

} // namespace

struct Regex::Code
{
    std::unique_ptr<pcre2_code, decltype(&pcre2_code_free)> code{nullptr, &pcre2_code_free};
    std::string where;
};

Regex::Regex(std::string_view pattern, std::string_view where)
    : m_code(std::make_unique<Code>())
{
    m_code->where = where;
    if (pattern.size() > kMaxPatternBytes)
        throwBadInput(m_code->where + ": a regular expression of " +
                      std::to_string(pattern.size()) + " bytes (at most " +
                      std::to_string(kMaxPatternBytes) + ")");
    const std::string translated = translate(pattern, where);
    int error = 0;
    PCRE2_SIZE place = 0;
    m_code->code.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(translated.data()),
                                     translated.size(), PCRE2_UTF | PCRE2_UCP, &error, &place,
                                     nullptr));
    if (!m_code->code)
        throwBadInput(m_code->where + ": bad regular expression at byte " + std::to_string(place) +
                      ": " + pcreMessage(error));
    // Where machine code may not be made (hardened systems), matching falls back to interpreting.
    pcre2_jit_compile(m_code->code.get(), PCRE2_JIT_COMPLETE);
}

Regex::~Regex() = default;
Regex::Regex(Regex &&) noexcept = default;
Regex &Regex::operator=(Regex &&) noexcept = default;

std::string Regex::escape(std::string_view literal)
{
    std::string out;
    for (const char c : literal) {
        const bool plain = static_cast<unsigned char>(c) >= 0x80 || (c >= '0' && c <= '9') ||
                           (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        if (c == '\0') {
            out.append("\\x{0}");
            continue;
        }
        if (!plain)
            out.push_back('\\');
        out.push_back(c);
    }
    return out;
}

struct Regex::Matcher::Scratch
{
    std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> data{
        nullptr, &pcre2_match_data_free};
    std::unique_ptr<pcre2_match_context, decltype(&pcre2_match_context_free)> context{
        nullptr, &pcre2_match_context_free};
    std::unique_ptr<pcre2_jit_stack, decltype(&pcre2_jit_stack_free)> stack{nullptr,
                                                                            &pcre2_jit_stack_free};
};

Regex::Matcher::Matcher(const Regex &regex)
    : m_regex(regex)
    , m_scratch(std::make_unique<Scratch>())
{
    m_scratch->data.reset(pcre2_match_data_create_from_pattern(regex.m_code->code.get(), nullptr));
    m_scratch->context.reset(pcre2_match_context_create(nullptr));
    m_scratch->stack.reset(pcre2_jit_stack_create(32 * 1024, 8 * 1024 * 1024, nullptr));
    if (!m_scratch->data || !m_scratch->context)
        throw Error(ErrorKind::Memory, "no memory for matching a regular expression");
    if (m_scratch->stack)
        pcre2_jit_stack_assign(m_scratch->context.get(), nullptr, m_scratch->stack.get());
}

Regex::Matcher::~Matcher() = default;
Regex::Matcher::Matcher(Matcher &&) noexcept = default;

std::optional<TextRange> Regex::Matcher::find(std::string_view subject, std::size_t from)
{
    // Honest splitting rules are linear: a few steps per byte that is left.
    const std::size_t limit = 1'000'000 + 16 * (subject.size() - from);
    pcre2_set_match_limit(m_scratch->context.get(),
                          static_cast<std::uint32_t>(std::min<std::size_t>(limit, UINT32_MAX)));
    const int count = pcre2_match(
        m_regex.m_code->code.get(), reinterpret_cast<PCRE2_SPTR>(subject.data()), subject.size(),
        from, PCRE2_NO_UTF_CHECK, m_scratch->data.get(), m_scratch->context.get());
    if (count == PCRE2_ERROR_NOMATCH)
        return std::nullopt;
    if (count < 0)
        throwBadInput(m_regex.m_code->where + ": the regular expression fails on a text of " +
                      std::to_string(subject.size()) + " bytes: " + pcreMessage(count));
    const PCRE2_SIZE *place = pcre2_get_ovector_pointer(m_scratch->data.get());
    // \K inside a lookahead could put the start behind the end.
    return TextRange{std::min(place[0], place[1]), place[1]};
}

std::string Regex::replaceAll(std::string_view text, std::string_view with) const
{
    std::string out;
    out.reserve(text.size() + text.size() / 4);
    Matcher matcher(*this);
    std::size_t done = 0;
    bool any = false;
    for (std::size_t from = 0; from <= text.size();) {
        const auto match = matcher.find(text, from);
        if (!match)
            break;
        // An empty match right behind the one before is none.
        if (match->size() > 0 || !any || match->begin > done) {
            out.append(text.substr(done, match->begin - done)).append(with);
            done = match->end;
            any = true;
        }
        // After an empty match go on behind the next character.
        from = match->end;
        if (match->size() == 0) {
            if (from >= text.size())
                break;
            from += decodeUtf8(text, from).length;
        }
    }
    return out.append(text.substr(done));
}

} // namespace fireside
