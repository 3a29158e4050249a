#pragma once
#include "app/server/http_head.h"

#include <optional>
#include <string>

namespace fireside::server {

/// Takes a request's body out of what a connection sends, in pieces of any size.
class BodyReader
{
public:
    BodyReader(const BodyFrame &frame, std::size_t maxBytes);

    /// Removes what belongs to the body from the front of `input`.
    void take(std::string &input);
    bool isComplete() const { return m_state == State::Done; }
    const std::optional<HttpProblem> &problem() const { return m_problem; }
    std::size_t bytes() const { return m_body.size(); }
    std::string takeBody() { return std::move(m_body); }

private:
    enum class State { Length, Size, Extension, Data, DataEnd, Trailer, Done };
    std::size_t takeData(const std::string &input, std::size_t at);
    void takeFraming(char c);
    void sizeEnds();
    void fail(int status, const char *text);

    const std::size_t m_maxBytes;
    State m_state;
    std::size_t m_left = 0;    // of the body, or of this chunk
    std::size_t m_digits = 0;  // of the chunk's size
    std::size_t m_framing = 0; // bytes of this chunk's first line, or of all trailers
    std::size_t m_line = 0;    // bytes of this trailer
    std::string m_body;
    std::optional<HttpProblem> m_problem;
};

} // namespace fireside::server
