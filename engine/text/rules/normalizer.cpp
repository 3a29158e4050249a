#include "engine/text/rules/normalizer.h"

#include "engine/text/rules/byte_level.h"

namespace fireside {
namespace {

std::string strip(std::string_view text, const Normalizer::Strip &sides)
{
    std::size_t begin = 0, end = text.size();
    if (sides.left) {
        while (begin < end) {
            const Utf8Step step = decodeUtf8(text, begin);
            if (!isWhiteSpace(step.codepoint))
                break;
            begin += step.length;
        }
    }
    while (sides.right && end > begin) {
        std::size_t last = end - 1;
        while (last > begin && (static_cast<unsigned char>(text[last]) & 0xC0) == 0x80)
            --last;
        if (!isWhiteSpace(decodeUtf8(text, last).codepoint))
            break;
        end = last;
    }
    return std::string(text.substr(begin, end - begin));
}

/// change(character, its bytes, out) for each character.
template <class Change>
std::string mapped(std::string_view text, Change change)
{
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Step step = decodeUtf8(text, at);
        change(step.codepoint, text.substr(at, step.length), out);
        at += step.length;
    }
    return out;
}

std::string withoutMarks(std::string_view text, bool (*isOne)(char32_t))
{
    return mapped(text, [isOne](char32_t c, std::string_view bytes, std::string &out) {
        if (!isOne(c))
            out.append(bytes);
    });
}

std::string mapCharacters(std::string_view text, const Normalizer::MapCharacters &rule)
{
    std::string out;
    out.reserve(text.size());
    const auto character = [&](std::size_t at) {
        const std::string_view own = text.substr(at, decodeUtf8(text, at).length);
        const auto match =
            rule.byCluster ? rule.map.shortest(own) : rule.map.longest(text.substr(at));
        out.append(match ? match->replacement : own);
        return match && !rule.byCluster ? match->length : own.size();
    };
    for (std::size_t at = 0; at < text.size();) {
        if (!rule.byCluster) {
            at += character(at);
            continue;
        }
        const std::size_t end = graphemeEnd(text, at);
        const auto whole =
            end - at < 6 ? rule.map.shortest(text.substr(at, end - at)) : std::nullopt;
        if (whole)
            out.append(whole->replacement);
        while (!whole && at < end)
            at += character(at);
        at = end;
    }
    return out;
}

std::string bert(const std::string &text, const Normalizer::Bert &rule)
{
    std::string out = mapped(text, [&](char32_t c, std::string_view bytes, std::string &to) {
        const bool layout = c == '\t' || c == '\n' || c == '\r';
        if (rule.cleanText && (c == 0 || c == 0xFFFD || (!layout && isOther(c))))
            return;
        if (rule.cleanText && isWhiteSpace(c))
            to.push_back(' ');
        else if (rule.setIdeographsApart && isIdeograph(c))
            to.append(" ").append(bytes).append(" ");
        else
            to.append(bytes);
    });
    if (rule.stripAccents)
        out = withoutMarks(normalizeUnicode(out, NormalForm::Nfd), isNonspacingMark);
    return rule.lowercase ? lowercaseUnicode(out) : out;
}

std::string nmt(std::string_view text)
{
    return mapped(text, [](char32_t c, std::string_view bytes, std::string &out) {
        const bool dropped = (c >= 0x01 && c <= 0x08) || c == 0x0B || (c >= 0x0E && c <= 0x1F) ||
                             c == 0x7F || c == 0x8F || c == 0x9F;
        const bool space = c == 0x09 || c == 0x0A || c == 0x0C || c == 0x0D || c == 0x1680 ||
                           (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 ||
                           c == 0x2581 || c == 0xFEFF || c == 0xFFFD;
        if (space)
            out.push_back(' ');
        else if (!dropped)
            out.append(bytes);
    });
}

std::string markSpaces(std::string_view text, const Normalizer::MarkSpaces &rule, bool atStart)
{
    constexpr std::string_view mark = "\xE2\x96\x81"; // ▁
    std::string out;
    out.reserve(text.size() + text.size() / 4 + mark.size());
    bool owed = rule.before && atStart, inWord = false;
    for (const char c : text) {
        if (c == ' ') {
            inWord = false;
            if (!rule.merge)
                out.append(mark);
            continue;
        }
        if (!inWord && (owed || rule.merge)) {
            out.append(mark);
            owed = false;
        }
        inWord = true;
        out.push_back(c);
    }
    return rule.after ? out.append(mark) : out;
}

struct NormalizeStep
{
    std::string text;
    bool atStart;

    void operator()(const Normalizer::Form &step) { text = normalizeUnicode(text, step.form); }
    void operator()(const Normalizer::Lowercase &) { text = lowercaseUnicode(text); }
    void operator()(const Normalizer::StripAccents &) { text = withoutMarks(text, isMark); }
    void operator()(const Normalizer::Strip &step) { text = strip(text, step); }
    void operator()(const Normalizer::Prepend &step)
    {
        if (atStart && !text.empty())
            text.insert(0, step.text);
    }
    void operator()(const Normalizer::Replace &step)
    {
        text = step.pattern.replaceAll(text, step.with);
    }
    void operator()(const Normalizer::MapCharacters &step) { text = mapCharacters(text, step); }
    void operator()(const Normalizer::Bert &step) { text = bert(text, step); }
    void operator()(const Normalizer::Nmt &) { text = nmt(text); }
    void operator()(const Normalizer::MapBytes &) { text = toByteLevel(text); }
    void operator()(const Normalizer::MarkSpaces &step) { text = markSpaces(text, step, atStart); }
};

} // namespace

// Not inline: GCC would warn about the parts of the step that it does not have.
void Normalizer::add(Step step)
{
    m_steps.push_back(std::move(step));
}

std::string Normalizer::apply(std::string_view text, bool atStart) const
{
    NormalizeStep state{std::string(text), atStart};
    for (const Step &step : m_steps)
        std::visit(state, step);
    return std::move(state.text);
}

} // namespace fireside
