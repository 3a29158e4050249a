#pragma once
#include "app/server/body_reader.h"
#include "app/server/socket.h"

#include <chrono>
#include <optional>
#include <string>

namespace fireside::server {

/// A client's connection and the request that it is sending. Owned by HttpFront; while its request
/// is answered a worker uses it alone.
struct Connection
{
    using Clock = std::chrono::steady_clock;
    enum class State {
        Head,    // waits for a request, or for the rest of its head
        Body,    // for the rest of its body
        Ready,   // the request is complete and waits for a worker
        Busy,    // is being answered
        Draining // was answered for the last time; what the client still sends is dropped
    };

    Socket socket{};
    std::string address{}; // of the client
    std::string group{};   // what limits per address count together: of IPv6 the first 64 bits
    State state = State::Head;
    Clock::time_point since = Clock::now(); // when the state began
    Clock::time_point heard = since;        // when bytes came last
    std::string input{};                    // received and not used yet
    std::size_t searched = 0;               // of the input for the end of the head
    bool ended = false;                     // the client has closed its end
    bool surplus = false;                   // beyond the limits: only /health is answered
    std::size_t requests = 0;

    // Of the request.
    HttpHead head{};
    BodyFrame frame{};
    std::optional<BodyReader> body{};
    std::size_t bodyBytes = 0;            // that have come
    std::optional<HttpProblem> problem{}; // is answered in place of the request
    bool quick = false;                   // needs no worker
    bool last = false;                    // the connection ends with its answer
};

} // namespace fireside::server
