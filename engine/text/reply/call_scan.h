#pragma once
#include "engine/text/reply/call_syntaxes.h"

#include <optional>
#include <string_view>

namespace fireside {

/// Follows the text of a call while it grows, to tell where a closing mark ends it: marks within
/// quotes or within a value between tags are text.
class CallScan
{
public:
    explicit CallScan(CallBody kind)
        : m_kind(kind)
    {}
    /// All of the call's text so far; only what is new is looked at. With `oneByOne`, up to the
    /// next bracket that closes the first one.
    void follow(std::string_view body, bool oneByOne = false);

    enum class State {
        Open,   // within quotes or a value
        Broken, // its last closing tags are missing, or this is a value that looks so
        Ended
    };
    State state(std::string_view body) const;
    /// Whether nothing is missing in a call whose closing mark is.
    bool isComplete(std::string_view body) const;
    bool isBalanced() const { return m_balanced == m_at; } // after oneByOne
    /// Bytes up to the bracket that first closed all; nullopt as long as none does.
    std::optional<std::size_t> firstBalance() const { return m_first; }
    std::size_t at() const { return m_at; }

private:
    void step(std::string_view body);
    bool opensQuote(char c) const;

    CallBody m_kind;
    std::size_t m_at = 0;
    std::string_view m_quote{}; // that ends the current text; empty: none
    char m_before = 0;          // the last character outside of quotes that is no white space
    int m_depth = 0;
    std::optional<std::size_t> m_first, m_balanced;
};

} // namespace fireside
