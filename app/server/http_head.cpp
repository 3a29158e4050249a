#include "app/server/http_head.h"

#include "app/server/content_coding.h"
#include "app/server/header_text.h"
#include "engine/core/quote.h"

#include <algorithm>
#include <cctype>

namespace fireside::server {
namespace {

constexpr std::size_t kMaxHeaders = 100;
constexpr std::size_t kMaxLineBytes = 8000; // the HTTP library takes 8192 with the line's end
constexpr std::size_t kMaxCodings = 4;

std::string_view withoutBlanks(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// RFC 9110: token.
bool isToken(std::string_view text)
{
    return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 ||
               std::string_view("!#$%&'*+-.^_`|~").find(static_cast<char>(c)) !=
                   std::string_view::npos;
    });
}

bool describesBody(std::string_view lowerName)
{
    return lowerName == "content-length" || lowerName == "transfer-encoding" ||
           lowerName == "content-encoding" || lowerName == "expect" || lowerName == "trailer";
}

/// The items of a header that is a list, in lower case; the header may come several times.
std::vector<std::string> listOf(const HttpHead &head, std::string_view name)
{
    std::vector<std::string> items;
    for (const std::string &value : head.values(name)) {
        std::string_view rest = value;
        while (!rest.empty()) {
            const std::size_t comma = rest.find(',');
            if (const auto item = withoutBlanks(rest.substr(0, comma)); !item.empty())
                items.push_back(lowerCase(item));
            rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
        }
    }
    return items;
}

bool readFirstLine(std::string_view line, HttpHead &head)
{
    const std::size_t first = line.find(' '), last = line.rfind(' ');
    if (first == std::string_view::npos || first == last)
        return false;
    head.method = line.substr(0, first);
    head.target = line.substr(first + 1, last - first - 1);
    head.version = line.substr(last + 1);
    return isToken(head.method) && !head.target.empty() && !hasControlCharacter(head.target) &&
           head.target.find(' ') == std::string::npos;
}

} // namespace

std::vector<std::string> HttpHead::values(std::string_view name) const
{
    std::vector<std::string> values;
    for (const auto &[header, value] : headers)
        if (lowerCase(header) == name)
            values.push_back(value);
    return values;
}

std::string_view HttpHead::path() const
{
    return std::string_view(target).substr(0, target.find('?'));
}

std::string HttpHead::withoutBody() const
{
    std::string text = method + " " + target + " " + version + "\r\n";
    for (const auto &[name, value] : headers)
        if (!describesBody(lowerCase(name)))
            text += name + ": " + value + "\r\n";
    return text + "Content-Length: 0\r\n\r\n";
}

std::size_t endOfHead(std::string_view text, std::size_t from)
{
    for (std::size_t at = text.find('\n', from); at != std::string_view::npos;
         at = text.find('\n', at + 1)) {
        if (text.substr(at + 1, 1) == "\n")
            return at + 2;
        if (text.substr(at + 1, 2) == "\r\n")
            return at + 3;
    }
    return std::string_view::npos;
}

std::variant<HttpHead, HttpProblem> readHead(std::string_view text)
{
    HttpHead head;
    bool first = true;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        if (line.empty())
            break;
        if (line.size() > kMaxLineBytes)
            return HttpProblem{first ? 414 : 431, "a line of the request's head is too long"};
        if (std::exchange(first, false)) {
            if (!readFirstLine(line, head))
                return HttpProblem{400, "the request's first line is not understood"};
            if (head.version != "HTTP/1.1" && head.version != "HTTP/1.0")
                return HttpProblem{505, "this server speaks HTTP/1.1 and HTTP/1.0"};
            continue;
        }
        const std::size_t colon = line.find(':');
        const std::string_view name = line.substr(0, colon);
        const std::string_view value =
            withoutBlanks(line.substr(std::min(colon, line.size() - 1) + 1));
        if (colon == std::string_view::npos || !isToken(name) || hasControlCharacter(value))
            return HttpProblem{400, "a header of the request is not understood"};
        if (head.headers.size() == kMaxHeaders)
            return HttpProblem{431, "the request has more than " + std::to_string(kMaxHeaders) +
                                        " headers"};
        head.headers.emplace_back(name, value);
    }
    if (first)
        return HttpProblem{400, "the request is empty"};
    return head;
}

std::variant<BodyFrame, HttpProblem> bodyFrameOf(const HttpHead &head, std::size_t maxBytes)
{
    constexpr std::size_t kMaxDigits = 15;
    BodyFrame frame;
    const auto transfer = listOf(head, "transfer-encoding");
    const auto lengths = head.values("content-length");
    frame.chunked = !transfer.empty();
    if (lengths.size() > 1 || (frame.chunked && !lengths.empty()))
        return HttpProblem{400, "the body's length is given more than once"};
    if (frame.chunked && (transfer.size() > 1 || transfer.front() != "chunked"))
        return HttpProblem{501, "of transfer encodings only chunked is supported"};
    if (!lengths.empty()) {
        const std::string &digits = lengths.front();
        if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos)
            return HttpProblem{400, "Content-Length is no number"};
        const std::size_t zeros = std::min(digits.find_first_not_of('0'), digits.size() - 1);
        const bool huge = digits.size() - zeros > kMaxDigits;
        frame.length = huge ? maxBytes + 1 : std::stoull(digits.substr(zeros));
        if (frame.length > maxBytes)
            return HttpProblem{413, "the body is too large: it may have " +
                                        std::to_string(maxBytes) + " bytes"};
    }
    for (const std::string &coding : listOf(head, "content-encoding")) {
        if (coding == "identity")
            continue;
        if (!isKnownCoding(coding) || frame.codings.size() == kMaxCodings)
            return HttpProblem{415, "the Content-Encoding " + fireside::quoted(coding) +
                                        " is not supported, only " + knownCodings()};
        frame.codings.push_back(coding);
    }
    for (const std::string &expected : listOf(head, "expect")) {
        if (expected != "100-continue")
            return HttpProblem{417, "of expectations only 100-continue is supported"};
        frame.expectsContinue = head.version != "HTTP/1.0";
    }
    return frame;
}

} // namespace fireside::server
