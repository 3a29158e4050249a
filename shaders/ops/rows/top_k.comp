#version 460
// The k largest of each row in order. Elements are compared as (key, inverted index), of which no two
// are equal. The k-th largest is found digit by digit from histograms (radix selection); what is at
// least as large is collected and sorted by counting. Where threads are many, that is done with the
// largest element of each thread first: what is below the k-th largest of those cannot be among the k
// largest of all, and hardly more than k is not below. So the row is read twice, without counting.
// Long rows are read by several workgroups that leave k candidates each to a second dispatch.
#extension GL_GOOGLE_include_directive : require
#include "shaders/common/rows.glsl"
#include "shaders/common/order_keys.glsl"
#include "shaders/common/not_finite.h"
#include "shaders/ops/rows/top_k.h"

KERNEL(TOP_K_CONSTANTS, TopKPush)

const uint kBins = 2048; // digits of 11 bits: the first holds sign, exponent and 2 bits more
const uint kNoIndex = 0xffffffffu;
shared uint bins[kBins];
shared uint eights[kBins / 8]; // sums of 8 bins
shared uint blocks[kBins / 64];
shared uint digitFound, needed, digitCount, collected;
shared uvec2 selected[kRoom];

uvec2 prefix, mask; // the digits of the k-th largest known so far: (key, inverted index)
uint digit;         // 0 … 5
uvec2 largest;      // that the thread has seen
const uint kCounting = 0, kCollecting = 1, kComparing = 2;

bool less(uvec2 a, uvec2 b)
{
    return a.x < b.x || (a.x == b.x && a.y < b.y);
}
uint shiftOf(uint digit)
{
    const uint place = digit % 3;
    return place == 0 ? 21 : place == 1 ? 10 : 0;
}

void visit(uint phase, uvec2 element)
{
    if (element.x == 0)
        return; // no candidate
    if (phase == kComparing) {
        if (less(largest, element))
            largest = element;
        return;
    }
    const uvec2 known = element & mask;
    if (phase == kCounting) {
        if (known == prefix) {
            const uint word = digit < 3 ? element.x : element.y;
            const uint width = digit % 3 == 2 ? 10 : 11;
            atomicAdd(bins[bitfieldExtract(word, int(shiftOf(digit)), int(width))], 1);
        }
    } else if (!less(known, prefix)) {
        const uint place = atomicAdd(collected, 1);
        if (place < kRoom)
            selected[place] = element;
    }
}

void visitAll(uint phase, uvec2 x, uint split)
{
    const uint threads = gl_WorkGroupSize.x;
    const uint units = kFours ? push.cols / 4 : push.cols;
    const uint lanes = kFours ? 4 : 1;
    for (uint unit = split * threads + gl_LocalInvocationID.x; unit < units;
         unit += push.splits * threads) {
        if (kFromCandidates) {
            const uvec2 candidate = Uints2(x).v[unit];
            visit(phase, uvec2(candidate.x, ~candidate.y));
        } else {
            const vec4 value = loadUnit(x, kXHalf, kFours, unit);
            for (uint i = 0; i < lanes; ++i)
                visit(phase, uvec2(finiteKey(value[i]), ~(unit * lanes + i)));
        }
    }
}

/// Finds the largest digit at which the elements from there upward are enough.
void findDigit()
{
    uint left = needed;
    int block = int(kBins / 64) - 1;
    for (; block > 0 && blocks[block] < left; --block)
        left -= blocks[block];
    int eight = block * 8 + 7;
    for (; eight > block * 8 && eights[eight] < left; --eight)
        left -= eights[eight];
    int bin = eight * 8 + 7;
    for (; bin > eight * 8 && bins[bin] < left; --bin)
        left -= bins[bin];
    digitFound = bin;
    digitCount = bins[bin];
    needed = left;
}

void clearBins()
{
    const uint thread = gl_LocalInvocationID.x, threads = gl_WorkGroupSize.x;
    for (uint i = thread; i < kBins; i += threads)
        bins[i] = 0;
    for (uint i = thread; i < kBins / 64; i += threads)
        blocks[i] = 0;
}
/// Sums of bins, so that findDigit() need not go along all of them.
void sumBins()
{
    const uint thread = gl_LocalInvocationID.x, threads = gl_WorkGroupSize.x;
    for (uint i = thread; i < kBins / 8; i += threads) {
        uint sum = 0;
        for (uint j = 0; j < 8; ++j)
            sum += bins[8 * i + j];
        eights[i] = sum;
        if (sum > 0)
            atomicAdd(blocks[i / 8], sum);
    }
}
/// The digit found joins the known ones.
void takeDigit()
{
    const uint shift = shiftOf(digit);
    if (digit < 3) {
        prefix.x |= digitFound << shift;
        mask.x |= (digit % 3 == 2 ? 0x3ffu : 0x7ffu) << shift;
    } else {
        prefix.y |= digitFound << shift;
        mask.y |= (digit % 3 == 2 ? 0x3ffu : 0x7ffu) << shift;
    }
}

/// Prefix and mask become those of the k-th largest of all elements, or of each thread's largest.
void findLast(bool ofThreads, uvec2 x, uint split)
{
    if (gl_LocalInvocationID.x == 0) {
        needed = kCount;
        collected = 0;
    }
    prefix = uvec2(0);
    mask = uvec2(0);
    for (digit = 0; digit < 6; ++digit) {
        clearBins();
        barrier();
        if (ofThreads)
            visit(kCounting, largest);
        else
            visitAll(kCounting, x, split);
        barrier();
        sumBins();
        barrier();
        if (gl_LocalInvocationID.x == 0)
            findDigit();
        barrier();
        takeDigit(); // with fewer elements than asked for it is 0, and all are taken
        if (digitCount <= needed)
            break; // all that share these digits belong to the k largest
        barrier(); // digitFound and digitCount are written anew
    }
}

/// How many of those that were selected are larger.
uint placeOf(uint i, uint count)
{
    const uvec2 own = selected[i];
    uint place = 0;
    for (uint j = 0; j < count; ++j)
        place += less(own, selected[j]) ? 1 : 0;
    return place;
}

/// The k largest of what was selected, as candidates of a split; unused places have key 0.
void storeCandidates(uint group, uint count)
{
    const uint thread = gl_LocalInvocationID.x, threads = gl_WorkGroupSize.x;
    const uvec2 candidates = rowAddress(push.candidates, group, kCount * 8);
    for (uint i = thread; i < max(count, kCount); i += threads) {
        const uint place = i < count ? placeOf(i, count) : i;
        if (place < kCount)
            Uints2(candidates).v[place] =
                i < count ? uvec2(selected[i].x, ~selected[i].y) : uvec2(0, kNoIndex);
    }
}

/// The k largest of what was selected, in order.
void storeSorted(uint row, uint count)
{
    const uint thread = gl_LocalInvocationID.x, threads = gl_WorkGroupSize.x;
    const uvec2 values = rowAddress(push.values, row, push.valuesStride);
    const uvec2 ids = rowAddress(push.ids, row, push.idsStride);
    bool finite = true; // what is not comes first, so that some of it is among the selected
    for (uint i = 0; i < count; ++i)
        finite = finite && selected[i].x != kNotFiniteKey;
    for (uint i = thread; i < max(count, kCount); i += threads) {
        uint place = i;
        float value = uintBitsToFloat(0xff800000u); // −∞
        int id = finite ? -1 : int(kNotFiniteId);
        if (finite && i < count) {
            place = placeOf(i, count);
            value = valueOfKey(selected[i].x);
            id = int(~selected[i].y);
        }
        if (place >= kCount)
            continue;
        Floats(values).v[place] = value;
        Ints(ids).v[place] = id;
    }
}

void main()
{
    const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    const uint row = group / push.splits, split = group % push.splits;
    if (row >= push.rows)
        return;
    const uvec2 x = rowAddress(push.x, row, push.xStride);
    bool fits = false;
    if (kByThread) {
        largest = uvec2(0);
        visitAll(kComparing, x, split);
        findLast(true, x, split);
        visitAll(kCollecting, x, split);
        barrier();
        fits = collected <= kRoom;
        barrier(); // it is written anew
    }
    if (!fits) { // or some threads have most of the largest
        findLast(false, x, split);
        visitAll(kCollecting, x, split);
        barrier();
    }
    const uint count = min(collected, kRoom);
    if (push.splits > 1)
        storeCandidates(group, count);
    else
        storeSorted(row, count);
}
