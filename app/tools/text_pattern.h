#pragma once
#include <QString>

#include <memory>
#include <optional>

namespace fireside {

namespace constrain {
class CharDfa;
}

/// A regular expression that texts have to match somewhere, as "pattern" of JSON schemas. It is a
/// stranger's: it becomes an automaton within limits, so that a text takes a step a letter,
/// whatever the expression is.
class TextPattern
{
public:
    /// Nothing where it is wrong, not regular (look-around, back references) or beyond the limits.
    static std::optional<TextPattern> read(const QString &written);

    bool matches(const QString &text) const;
    const QString &written() const { return m_written; }
    bool operator==(const TextPattern &other) const { return m_written == other.m_written; }

private:
    TextPattern(const QString &written, constrain::CharDfa dfa);

    QString m_written;
    std::shared_ptr<const constrain::CharDfa> m_dfa; // of all copies; it never changes
};

} // namespace fireside
