#pragma once
#include <functional>
#include <stop_token>

namespace fireside::server {

/// Stopped as soon as one of two others is.
class EitherStop
{
public:
    EitherStop(const std::stop_token &a, const std::stop_token &b)
        : m_first(a, [this] { m_stop.request_stop(); })
        , m_second(b, [this] { m_stop.request_stop(); })
    {}
    std::stop_token token() const { return m_stop.get_token(); }

private:
    std::stop_source m_stop;
    const std::stop_callback<std::function<void()>> m_first, m_second;
};

} // namespace fireside::server
