#pragma once
#include <cstddef>
#include <string>
#include <string_view>

// Text from outside – names in files, paths, arguments – as messages and terminals may show it.
namespace fireside {

constexpr std::size_t kLongestMessage = 6000; // bytes: more than the longest path and a sentence
constexpr std::size_t kLongestQuote = 80;

/// `text` on one line, harmless to a terminal: control characters, line ends, characters that
/// change the direction of writing or are invisible, and bytes that are no UTF-8 appear as \n, \t,
/// \x1b or \u202e; past `limit` bytes it is cut and ends with "…".
std::string printable(std::string_view text, std::size_t limit = kLongestMessage);

/// The same in single quotes, short.
std::string quoted(std::string_view text);

} // namespace fireside
