#pragma once
#include <atomic>
#include <cstdint>

namespace fireside::vulkan {

/// What a dispatch costs, to keep submissions short on slow devices.
struct Work
{
    double multiplyAdds = 0;
    double bytes = 0; // read and written

    /// That of `count` of `all` equal parts.
    Work part(std::int64_t count, std::int64_t all) const
    {
        const double share = static_cast<double>(count) / static_cast<double>(all);
        return {multiplyAdds * share, bytes * share};
    }
};

/// How long dispatches take on a device: a careful guess at first, then what was measured. For
/// cutting work into submissions that leave a desktop usable and no watchdog a reason, and for how
/// many of them run ahead. Thread-safe.
class Throughput
{
public:
    enum class Kind { Software, Integrated, Discrete };
    /// fixed: not 0, the factor on the first guess, and nothing is learnt.
    explicit Throughput(Kind kind, double fixed = 0);

    /// What `seconds` and `learn` count in: the time if the first guess were right.
    double nominal(const Work &work) const;
    double seconds(double nominalSeconds) const { return nominalSeconds * m_factor; }
    double factor() const { return m_factor; } // between the two
    /// Goes up at once and down slowly.
    void learn(double nominalSeconds, double measuredSeconds);
    /// Of a submission that took `lastSeconds` the last time; 0: not known.
    double expected(double nominalSeconds, double lastSeconds) const;
    /// A submission should not take longer, in seconds.
    static constexpr double kLongest = 0.1;

    std::int64_t rowsPerDispatch(const Work &wholeOp, std::int64_t rows,
                                 std::int64_t multiple) const;

private:
    double m_multiplyAdds, m_bytes; // per second
    bool m_fixed;
    std::atomic<double> m_factor;
};

} // namespace fireside::vulkan
