#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fireside {

/// GPT-2's reversible mapping between bytes and visible characters, in which byte-level BPE
/// vocabularies are written: printable Latin-1 stands for itself, the other bytes follow from
/// U+0100 on. (Radford et al. 2019, bytes_to_unicode.)
char32_t byteLevelCharacter(std::uint8_t byte);
std::optional<std::uint8_t> byteLevelByte(char32_t character);

std::string toByteLevel(std::string_view bytes);
/// The bytes a token's text stands for; a text with any other character stands for itself.
std::string fromByteLevel(std::string_view text);

/// The byte that a token text such as "<0x41>" stands for.
std::optional<std::uint8_t> parseByteToken(std::string_view text);

} // namespace fireside
