#pragma once
#include <unistd.h>

#include <utility>

namespace fireside::server {

/// A file descriptor that is closed with it.
class Socket
{
public:
    Socket() = default;
    explicit Socket(int descriptor)
        : m_descriptor(descriptor)
    {}
    Socket(Socket &&other) noexcept
        : m_descriptor(std::exchange(other.m_descriptor, -1))
    {}
    Socket &operator=(Socket &&other) noexcept
    {
        std::swap(m_descriptor, other.m_descriptor);
        return *this;
    }
    ~Socket()
    {
        if (m_descriptor >= 0)
            ::close(m_descriptor);
    }
    int get() const { return m_descriptor; }
    explicit operator bool() const { return m_descriptor >= 0; }

private:
    int m_descriptor = -1;
};

} // namespace fireside::server
