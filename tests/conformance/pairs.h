#pragma once
#include "tests/conformance/draw.h"

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <utility>

namespace fireside::conformance {

/// Which pairs of options the cases of each set have met, by device.
class PairsMet
{
public:
    /// These cases are about to be drawn; in a thorough run all of their pairs have to be met.
    void declare(const std::string &device, const Cases &cases, bool thorough);
    void meet(const std::string &device, const Pick &pick);

    /// One line per set: pairs met of those possible, and some of the missing ones.
    std::string table() const;
    /// Pairs that were not met although the run was thorough.
    std::int64_t missing() const;

    /// As text, for runs that are spread over processes: what several wrote adds up.
    void write(std::ostream &out) const;
    void add(std::istream &in);

private:
    struct Set
    {
        bool thorough = false;
        std::map<std::string, bool> pairs; // whether met
    };
    std::map<std::pair<std::string, std::string>, Set> m_sets; // by name and device
};

/// Of this run.
PairsMet &pairsMet();

/// Adds up what the processes of a run left in a folder, prints it, and returns whether nothing is
/// missing.
bool mergePairs(const std::string &folder);
/// Leaves a file there.
void writePairs(const std::string &folder);

} // namespace fireside::conformance
