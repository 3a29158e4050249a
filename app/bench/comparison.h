#pragma once
#include "app/bench/peer_library.h"

#include <string>
#include <vector>

namespace fireside {

/// Rates of both sides, one of each turn. Who follows right after whom is compared with him: what
/// slows a computer down for a while slows both.
struct Comparison
{
    std::vector<double> ours, peers; // tokens per second
};

struct RatioSummary
{
    double ours = 0, peers = 0;                // medians
    double ratio = 0, least = 0, greatest = 0; // median of the turns' ratios, and their range
};

/// As many of both; all 0 where nothing was measured.
RatioSummary summarise(const Comparison &comparison);

/// measurePeer() in a process of its own, this program as `bench --peer-turn`. Error: Io with the
/// process's end where it failed; it has said why on standard error.
PeerRates measurePeerApart(const PeerRequest &request);

double median(std::vector<double> values); // 0 for none

} // namespace fireside
