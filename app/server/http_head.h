#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace fireside::server {

/// Why a request is refused before its handler sees it.
struct HttpProblem
{
    int status = 400;
    std::string text{};
};

/// A request's first line and its headers, as sent.
struct HttpHead
{
    std::string method, target, version;
    std::vector<std::pair<std::string, std::string>> headers{};
    std::vector<std::string> values(std::string_view name) const; // name in lower case
    std::string_view path() const;                                // the target without its query
    /// The same without the headers that describe the body, for a parser that gets the body apart.
    std::string withoutBody() const;
};

/// `text`: all lines up to the empty one, which end with LF or CRLF.
std::variant<HttpHead, HttpProblem> readHead(std::string_view text);
/// Where the head ends in `text`, searched from `from` on; npos: not yet.
std::size_t endOfHead(std::string_view text, std::size_t from);

/// How a request's body is sent.
struct BodyFrame
{
    bool chunked = false;
    std::size_t length = 0;             // where it is not chunked
    std::vector<std::string> codings{}; // Content-Encoding, in the order they were applied
    bool expectsContinue = false;
};
/// 413 for a length above `maxBytes`, 415 for codings that cannot be decoded.
std::variant<BodyFrame, HttpProblem> bodyFrameOf(const HttpHead &head, std::size_t maxBytes);

} // namespace fireside::server
