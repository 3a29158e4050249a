#pragma once
#include <chrono>
#include <cstddef>

namespace fireside::server {

struct HttpLimits
{
    std::size_t headBytes = 32 << 10; // of a request's first line and all its headers
    std::size_t bodyBytes = 16 << 20; // of a request's body, as sent and as decompressed
    /// Of all bodies that are being received or answered, beyond 1 MB of each.
    std::size_t largeBodyBytes = 128 << 20;
    std::chrono::milliseconds headTime{10'000};     // from a head's first byte to its last
    std::chrono::milliseconds wholeRequest{60'000}; // until a request has come, however slowly
    std::chrono::milliseconds silence{10'000};      // between two pieces of it
    std::chrono::milliseconds unread{20'000};       // that a client may leave a reply unread
    std::chrono::milliseconds keepAlive{15'000};    // between two requests of a connection
    std::size_t requests = 1000;                    // on one connection
    std::size_t connections = 512;                  // at once; the one idle longest makes room
    std::size_t connectionsPerAddress = 256;
    std::size_t running = 128; // requests that are answered at once; others wait
    std::size_t runningPerAddress = 96;
};

} // namespace fireside::server
