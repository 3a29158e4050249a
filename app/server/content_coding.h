#pragma once
#include <span>
#include <string>
#include <string_view>

namespace fireside::server {

bool isKnownCoding(std::string_view coding); // "gzip", in lower case
std::string knownCodings();                  // for errors: "br, deflate and gzip"

/// The body without its codings, the one applied last taken off first. ApiError(413) as soon as
/// any of them gives more than `maxBytes`, ApiError(400) for bytes that are not of the coding.
std::string decodedBody(std::string body, std::span<const std::string> codings,
                        std::size_t maxBytes);

} // namespace fireside::server
