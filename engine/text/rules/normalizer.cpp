#include "engine/text/rules/normalizer.h"

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

std::string replace(const std::string &text, const Normalizer::Replace &rule)
{
    std::string out;
    out.reserve(text.size() + text.size() / 4);
    Regex::Matcher matcher(rule.pattern);
    std::size_t done = 0;
    for (std::size_t from = 0; from <= text.size();) {
        const auto match = matcher.find(text, from);
        if (!match)
            break;
        out.append(text, done, match->begin - done).append(rule.with);
        done = match->end;
        // After an empty match go on behind the next character.
        from = match->end;
        if (match->size() == 0) {
            if (from >= text.size())
                break;
            from += decodeUtf8(text, from).length;
        }
    }
    return out.append(text, done);
}

struct NormalizeStep
{
    std::string text;
    bool atStart;

    void operator()(const Normalizer::Form &step) { text = normalizeUnicode(text, step.form); }
    void operator()(const Normalizer::Lowercase &) { text = lowercaseUnicode(text); }
    void operator()(const Normalizer::StripAccents &) { text = stripMarks(text); }
    void operator()(const Normalizer::Strip &step) { text = strip(text, step); }
    void operator()(const Normalizer::Prepend &step)
    {
        if (atStart && !text.empty())
            text.insert(0, step.text);
    }
    void operator()(const Normalizer::Replace &step) { text = replace(text, step); }
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
