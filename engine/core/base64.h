#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace fireside {

/// The bytes of a text in base64 (RFC 4648), with or without padding; nullopt when it is none.
std::optional<std::string> decodeBase64(std::string_view text);

} // namespace fireside
