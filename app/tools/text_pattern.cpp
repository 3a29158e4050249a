#include "app/tools/text_pattern.h"

#include "engine/constrain/regex_reader.h"
#include "engine/core/error.h"

#include <utility>

namespace fireside {
namespace {

/// A form has up to 50 of them, made on the window's thread: less than grammars may take.
constexpr constrain::GrammarLimits kLimits{
    .sourceBytes = 1000, .states = 1000, .steps = 30'000, .nesting = 30};

} // namespace

TextPattern::TextPattern(const QString &written, constrain::CharDfa dfa)
    : m_written(written)
    , m_dfa(std::make_shared<const constrain::CharDfa>(std::move(dfa)))
{}

std::optional<TextPattern> TextPattern::read(const QString &written)
{
    try {
        return TextPattern(written, constrain::readRegex(written.toStdString(),
                                                         constrain::RegexMatch::Search, kLimits));
    } catch (const Error &) {
        return std::nullopt;
    }
}

bool TextPattern::matches(const QString &text) const
{
    return m_dfa->accepts(text.toStdString());
}

} // namespace fireside
