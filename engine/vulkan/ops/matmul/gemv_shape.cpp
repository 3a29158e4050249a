#include "engine/vulkan/ops/matmul/gemv_shape.h"

#include "engine/vulkan/pass/recorder.h"

#include <algorithm>
#include <bit>

// The rules follow 2,067 shapes of 24 products measured on an H200 (132 compute units). Those for
// rows in two goes and for one row at a time came after that, from chains of single products and
// from whole passes.
namespace fireside::vulkan {
namespace {

/// Sums a thread keeps. Two rows of weights at a time are best or nearly so nearly everywhere.
constexpr std::int64_t kMaxSums = 8;
/// Threads that keep enough loads on their way: 0.8 of what a compute unit holds with 64 registers
/// each. With fewer the memory idles, with more each does too little after having fetched x.
constexpr std::int64_t kThreadsPerComputeUnit = 820;
/// Shared memory for sums: more would leave too few groups on a compute unit.
constexpr std::int64_t kMaxSharedFloats = 3072;

std::uint32_t count(std::int64_t value)
{
    return static_cast<std::uint32_t>(value);
}

} // namespace

std::int64_t maxTeam(const Capabilities &can)
{
    const std::int64_t subgroup = can.maxSubgroup;
    const std::int64_t threads = std::min(can.maxWorkgroupSize, can.software ? 256u : 512u);
    return std::max(subgroup, threads / subgroup * subgroup);
}

namespace {

class Chooser
{
public:
    Chooser(const Capabilities &can, const GemvProblem &problem)
        : m_can(can)
        , m_problem(problem)
        , m_most(std::min(can.maxWorkgroupSize, can.software ? 256u : 1024u))
        , m_threads(kThreadsPerComputeUnit * can.computeUnits)
    {}

    GemvShape choose()
    {
        m_shape.columns = std::bit_ceil(count(std::min(m_problem.columns, kMaxColumns)));
        chooseTeam();
        const std::int64_t parts = std::max<std::int64_t>(m_team / m_can.minSubgroup, 1);
        while (m_shape.columns > 1 &&
               m_problem.multiple * m_problem.perRow * m_shape.columns * parts > kMaxSharedFloats)
            m_shape.columns /= 2;
        m_floatsPerRow = m_problem.perRow * m_shape.columns * parts;
        m_single = m_problem.single && m_shape.columns == 1 && !m_can.software;
        // Two rows of x as integers stay in registers, which leaves room for one row of weights: on
        // the H200 two chats of an 8B make 767 tokens a second so, with two rows 573.
        const bool kept = m_problem.integers && m_shape.columns == 2 && !m_can.software;
        m_shape.rows = 2 * m_problem.perRow * m_shape.columns <= kMaxSums &&
                               !(m_single && m_problem.perRow > 1) && !kept
                           ? 2
                           : 1;
        if (m_problem.repeats > 1 && m_problem.perRow > 1 && !m_can.software)
            chooseForExperts();
        else if (m_problem.multiple > 1)
            chooseMultiple();
        else
            chooseUsual();
        return m_shape;
    }

private:
    /// A thread for each 32 elements of a row, in whole subgroups.
    void chooseTeam()
    {
        const std::int64_t subgroup = m_can.maxSubgroup, wanted = ceilDiv(m_problem.cols, 32);
        const std::int64_t longest = maxTeam(m_can);
        if (m_problem.experts > 0) {
            // As many side by side as fit, without gaps where whole subgroups come out.
            const std::int64_t together = std::min(longest / wanted, m_problem.experts);
            const bool even = together > 0 && together * wanted % subgroup == 0;
            const std::int64_t each = even ? wanted : ceilDiv(wanted, subgroup) * subgroup;
            m_shape.pairs = count(std::clamp<std::int64_t>(longest / each, 1, m_problem.experts));
            m_shape.passes = count(ceilDiv(m_problem.experts, m_shape.pairs));
            m_team = m_shape.pairs * each;
        } else {
            m_shape.passes = count(ceilDiv(wanted, longest));
            m_team = ceilDiv(ceilDiv(wanted, m_shape.passes), subgroup) * subgroup;
        }
        m_shape.team = count(m_team);
    }

    /// Of the whole dispatch, if a group has so many rows and teams.
    std::int64_t allThreads(std::int64_t groupRows, std::int64_t teams) const
    {
        return ceilDiv(m_problem.rows, groupRows) * m_problem.repeats * teams * m_team;
    }
    bool fits(std::int64_t groupRows) const
    {
        return groupRows * m_floatsPerRow <= kMaxSharedFloats;
    }

    /// A group finds out first which expert it is for: few groups, with many rows each.
    void chooseForExperts()
    {
        constexpr std::int64_t kThreads = 256;
        std::int64_t teams = 1;
        while (2 * teams * m_team <= std::min(kThreads, m_most))
            teams *= 2;
        m_shape.rows = 1;
        m_shape.threads = count(teams * m_team);
        std::int64_t sets = (allThreads(teams, teams) + m_threads / 2) / m_threads;
        while (sets > 1 && !fits(sets * teams))
            --sets;
        sets = std::max<std::int64_t>(sets, 1);
        while (sets * teams % m_problem.multiple != 0)
            ++sets;
        m_shape.sets = count(sets);
    }

    /// As few rows to a group as there may be, and as many teams as it takes.
    void chooseMultiple()
    {
        std::int64_t teams = 1, groupRows = m_problem.multiple;
        while (2 * teams * m_team <= m_most &&
               m_problem.multiple % (2 * teams * m_shape.rows) == 0 &&
               allThreads(groupRows, teams) < m_threads)
            teams *= 2;
        while (allThreads(groupRows, teams) > 2 * m_threads && fits(groupRows + m_problem.multiple))
            groupRows += m_problem.multiple;
        // Where somewhat fewer teams can ask for all of their rows at once, that is better.
        // Eight rows at once were not better in a whole pass.
        constexpr std::int64_t kThreads = 768, kMaxAtOnce = 4;
        std::int64_t fewer = teams;
        while (fewer > 1 && fewer * m_team > kThreads)
            fewer /= 2;
        if (m_problem.perRow == 1 && m_shape.columns == 1 && !m_can.software &&
            groupRows <= fewer * kMaxAtOnce) {
            teams = fewer;
            m_shape.rows = count(groupRows / teams);
        }
        m_shape.threads = count(teams * m_team);
        m_shape.sets = count(groupRows / (teams * m_shape.rows));
        // Two sets in as many teams as there may be: rather twice as many teams, each going over
        // its rows twice.
        if (m_shape.sets == 2 && 2 * teams * m_team > m_most && m_problem.perRow == 1 &&
            m_problem.experts == 0 && m_shape.columns == 1 && !m_can.software &&
            m_team % (2 * m_can.maxSubgroup) == 0) {
            m_shape.team = count(m_team / 2);
            m_shape.passes *= 2;
            m_shape.sets = 1;
        }
    }

    /// Small groups end independently of each other, but each must fetch x.
    void chooseUsual()
    {
        constexpr std::int64_t kUsualThreads = 256;
        std::int64_t teams = std::max<std::int64_t>(std::min(kUsualThreads, m_most) / m_team, 1);
        while (teams > 1 && ceilDiv(m_problem.rows, teams * m_shape.rows) * m_problem.repeats <
                                m_can.computeUnits)
            teams /= 2;
        m_shape.threads = count(teams * m_team);
        const std::int64_t once = teams * m_shape.rows;
        std::int64_t sets = (allThreads(once, teams) + m_threads / 2) / m_threads;
        constexpr std::int64_t kLong = 6; // sets; from there on all groups should begin at once
        const bool alone = m_single && sets <= kLong; // one row at a time
        if (alone)
            m_shape.rows = 1;
        const std::int64_t most = m_problem.lean ? 1280 : 1024; // on a compute unit
        if (alone || sets > kLong)
            sets = ceilDiv(allThreads(teams * m_shape.rows, teams),
                           most * std::int64_t{m_can.computeUnits});
        const std::int64_t maxSets = kMaxSharedFloats / (once * m_floatsPerRow);
        m_shape.sets = count(std::clamp<std::int64_t>(sets, 1, std::max<std::int64_t>(maxSets, 1)));
    }

    const Capabilities &m_can;
    const GemvProblem &m_problem;
    const std::int64_t m_most, m_threads; // of a group; of the device
    GemvShape m_shape;
    std::int64_t m_team = 0, m_floatsPerRow = 0;
    bool m_single = false;
};

} // namespace

GemvShape gemvShape(const Capabilities &can, const GemvProblem &problem)
{
    return Chooser(can, problem).choose();
}

} // namespace fireside::vulkan
