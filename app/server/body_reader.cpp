#include "app/server/body_reader.h"

#include <algorithm>
#include <cctype>

namespace fireside::server {
namespace {

constexpr std::size_t kMaxFramingBytes = 4096;

} // namespace

BodyReader::BodyReader(const BodyFrame &frame, std::size_t maxBytes)
    : m_maxBytes(maxBytes)
    , m_state(frame.chunked       ? State::Size
              : frame.length == 0 ? State::Done
                                  : State::Length)
    , m_left(frame.chunked ? 0 : frame.length)
{}

void BodyReader::fail(int status, const char *text)
{
    m_problem = HttpProblem{status, text};
}

void BodyReader::take(std::string &input)
{
    std::size_t at = 0;
    while (at < input.size() && m_state != State::Done && !m_problem) {
        if (m_state == State::Length || m_state == State::Data)
            at = takeData(input, at);
        else
            takeFraming(input[at++]);
    }
    input.erase(0, at);
}

std::size_t BodyReader::takeData(const std::string &input, std::size_t at)
{
    const std::size_t count = std::min(m_left, input.size() - at);
    m_body.append(input, at, count);
    m_left -= count;
    if (m_left == 0)
        m_state = m_state == State::Length ? State::Done : State::DataEnd;
    return at + count;
}

/// The size of a chunk is known: a last one has no bytes.
void BodyReader::sizeEnds()
{
    if (m_digits == 0)
        return fail(400, "the size of a chunk is no number");
    m_state = m_left == 0 ? State::Trailer : State::Data;
    m_digits = m_framing = m_line = 0;
}

void BodyReader::takeFraming(char c)
{
    if (++m_framing > kMaxFramingBytes)
        return fail(400, "the lines between the chunks of the body are too long");
    switch (m_state) {
    case State::Size:
        if (std::isxdigit(static_cast<unsigned char>(c)) != 0) {
            const int digit =
                c <= '9' ? c - '0' : std::tolower(static_cast<unsigned char>(c)) - 'a' + 10;
            m_left = m_left * 16 + static_cast<std::size_t>(digit);
            ++m_digits;
            if (m_body.size() + m_left > m_maxBytes)
                fail(413, "the body is too large");
        } else if (c == '\n') {
            sizeEnds();
        } else if (c == ';' || c == ' ' || c == '\t' || c == '\r') {
            m_state = State::Extension;
        } else {
            fail(400, "the size of a chunk is no number");
        }
        break;
    case State::Extension:
        if (c == '\n')
            sizeEnds();
        break;
    case State::DataEnd:
        if (c == '\n') {
            m_state = State::Size;
            m_framing = 0;
        } else if (c != '\r') {
            fail(400, "a chunk of the body is longer than its size");
        }
        break;
    case State::Trailer:
        if (c == '\n' && m_line == 0)
            m_state = State::Done;
        else
            m_line = c == '\n' ? 0 : c == '\r' ? m_line : m_line + 1;
        break;
    case State::Length:
    case State::Data:
    case State::Done:
        break;
    }
}

} // namespace fireside::server
