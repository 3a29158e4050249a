#version 460
// Sorts the pairs (token, chosen expert) of a batch by expert, by counting, and makes tiles of at most
// tileRows pairs of one expert each. Pairs that name no expert come last, as if there were one more.
// Which pair of an expert comes first may differ from run to run; no sum depends on it.
#extension GL_GOOGLE_include_directive : require
#include "shaders/common/references.glsl"
#include "shaders/ops/matmul/expert_tiles.h"
#include "shaders/ops/matmul/gemm.h"

KERNEL(EXPERT_TILES_CONSTANTS, ExpertTilesPush)

shared uint counts[kExperts + 1]; // then where the expert's next pair goes
shared uvec2 totals[kThreads]; // pairs and tiles of a thread's experts

uint expertOf(uint pair)
{
    const int id = Ints(push.ids).v[pair / push.used * push.idStride + pair % push.used];
    return id >= 0 && uint(id) < kExperts ? uint(id) : kExperts;
}

void main()
{
    const uint thread = gl_LocalInvocationIndex, threads = kThreads;
    const uint pairs = push.tokens * push.used;
    for (uint e = thread; e <= kExperts; e += threads)
        counts[e] = 0;
    barrier();
    for (uint pair = thread; pair < pairs; pair += threads)
        atomicAdd(counts[expertOf(pair)], 1);
    barrier();

    // Sums over all experts before this thread's.
    const uint each = (kExperts + threads) / threads; // of kExperts + 1
    const uint first = min(thread * each, kExperts + 1), end = min(first + each, kExperts + 1);
    uvec2 own = uvec2(0);
    for (uint e = first; e < end; ++e)
        own += uvec2(counts[e], (counts[e] + push.tileRows - 1) / push.tileRows);
    totals[thread] = own;
    barrier();
    for (uint distance = 1; distance < threads; distance *= 2) {
        const uvec2 before = thread >= distance ? totals[thread - distance] : uvec2(0);
        barrier();
        totals[thread] += before;
        barrier();
    }
    const uint tilesInAll = totals[threads - 1].y;
    uvec2 place = totals[thread] - own;

    for (uint e = first; e < end; ++e) {
        const uint count = counts[e];
        for (uint done = 0; done < count; done += push.tileRows) {
            Uints4(push.tiles).v[place.y] =
                uvec4(e < kExperts ? e : kGemmNoExpert, place.x + done,
                      min(push.tileRows, count - done), 0);
            ++place.y;
        }
        counts[e] = place.x;
        place.x += count;
    }
    for (uint tile = tilesInAll + thread; tile < push.bound; tile += threads)
        Uints4(push.tiles).v[tile] = uvec4(0);
    barrier();
    for (uint pair = thread; pair < pairs; pair += threads)
        Uints(push.order).v[atomicAdd(counts[expertOf(pair)], 1)] = pair;
}
