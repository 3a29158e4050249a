// For attention_row_matrix.comp, from the rotated heads of a new row (row_heads.glsl): norm factors, the
// queries as elements of matrix B, the logits of the newest key, and KV append of this key and its value.

shared float normOf[kSlots + 1];                 // factors of norms
shared float factorOf[kSlots], newestOf[kSlots]; // to logits; logits of the newest key
shared uvec2 parts[kSets * kKeyUnits * 2 * 32];  // of queries: [set][unit][half][thread]
shared uvec4 newest[kValueDim / 8];              // the new row's value

/// Of heads from `head` on, in the first step: sums of squares, by subgroups.
vec4 normChunks[((kSlots + kSubgroups) / kSubgroups) * ((kHeadDim + 127) / 128)];
bool normed(uint h)
{
    return headsHave(h == kSlots ? kKeysNormed : kQueriesNormed);
}
void fetchSquares(uint row, uint head, uint lastSlot)
{
    if (!headsHave(kKeysNormed | kQueriesNormed))
        return;
    UNROLL for (uint n = 0; n * kSubgroups <= kSlots; ++n) {
        const uint h = n * kSubgroups + matrixSubgroup();
        const bool isKey = h >= kSlots;
        const uint from = isKey ? row * push.kStride + head / kGroup * kHeadDim
                                : row * push.qStride + (head + min(h, lastSlot)) * kHeadDim;
        const uvec2 x = isKey ? push.k : push.q;
        const bool isHalf = isKey ? headsHave(kKeysHalf) : headsHave(kQueriesHalf);
        UNROLL for (uint i = 0; i * 128 < kHeadDim; ++i) {
            const uint channel = i * 128 + 4 * matrixLane(), at = n * ((kHeadDim + 127) / 128) + i;
            normChunks[at] = vec4(0);
            if (kHeadDim % 128 == 0 || channel < kHeadDim)
                normChunks[at] = loadUnit(x, isHalf, true, (from + channel) / 4);
        }
    }
}
void factorsOfNorms(AttentionRowHeads heads)
{
    UNROLL for (uint n = 0; n * kSubgroups <= kSlots; ++n) {
        const uint h = n * kSubgroups + matrixSubgroup();
        float factor = 1;
        if (headsHave(kKeysNormed | kQueriesNormed)) {
            float square = 0;
            UNROLL for (uint i = 0; i * 128 < kHeadDim; ++i) {
                const vec4 x = normChunks[n * ((kHeadDim + 127) / 128) + i];
                square += dot(x, x);
            }
            UNROLL for (uint o = 16; o > 0; o /= 2)
                square += matrixShuffleXor(square, o);
            if (normed(min(h, kSlots)))
                factor = 1 / sqrt(square / float(kHeadDim) + (h == kSlots ? heads.kEps : heads.qEps));
        }
        if (matrixLane() == 0 && h <= kSlots)
            normOf[h] = factor;
    }
}

/// Queries as two F16, leading bits and rest, times a power of two that brings the largest of the head
/// near 2⁸; and the logits of the newest key. Adjacent threads have the fours of a head.
void takeQueries(uint firstHead, uint lastSlot, uint past, bool hasNewest)
{
    const uint all = 4 * kSets * kHeadFours; // with columns of zeros
    for (uint first = 0; first < all; first += kThreads) {
        const uint i = first + threadIndex(), slot = i / kHeadFours, four = i % kHeadFours;
        if (!MATRIX_ALL && i >= all)
            break;
        const bool there = slot < kSlots;
        const vec4 x = there ? rotated[i] : vec4(0);
        const vec4 y = abs(x);
        float largest = max(max(y.x, y.y), max(y.z, y.w));
        UNROLL for (uint o = 1; o < kHeadFours; o *= 2)
            largest = max(largest, matrixShuffleXor(largest, o));
        const uint exponent = clamp(floatBitsToUint(largest) >> 23, 40u, 220u);
        const vec4 z = x * uintBitsToFloat((261u - exponent) << 23); // 2⁷ ÷ 2^(exponent - 127)
        const vec4 leading = uintBitsToFloat(floatBitsToUint(z) & 0xffffe000u), rest = z - leading;
        const uint to = ((slot / 4 * kKeyUnits + four / 8) * 2 + four % 2) * 32 + slot % 4 * 8 +
                        four / 2 % 4;
        if (i < all) {
            parts[to] = uvec2(packHalf2x16(leading.xy), packHalf2x16(leading.zw));
            parts[to + 4] = uvec2(packHalf2x16(rest.xy), packHalf2x16(rest.zw));
        }
        const float factor = (there ? normOf[slot] : 0) * push.scale * (kPlain ? kLog2E : 1);
        if (there && four == 0)
            factorOf[slot] = uintBitsToFloat((exponent - 7u) << 23) * factor;
        if (hasNewest) {
            const vec4 key = rotated[kSlots * kHeadFours + four] * normOf[kSlots];
            float score = dot(x, vec4(unpackHalf2x16(packHalf2x16(key.xy)),
                                      unpackHalf2x16(packHalf2x16(key.zw))));
            UNROLL for (uint o = 1; o < kHeadFours; o *= 2)
                score += matrixShuffleXor(score, o);
            if (there && four == 0)
                newestOf[slot] =
                    logit(firstHead + min(slot, lastSlot), score * factor, past, past);
        }
    }
}

/// Key and value of the new row as the cache holds them, to the cache, the value also to `newest`.
void storeNewest(PassCache cache, uint cacheRow, vec4 low, vec4 high, bool stores)
{
    const uint i = threadIndex();
    if (i >= (kHeadDim + kValueDim) / 8)
        return;
    const bool isKey = i < kHeadDim / 8;
    if (isKey) {
        low = rotated[kSlots * kHeadFours + 2 * i] * normOf[kSlots];
        high = rotated[kSlots * kHeadFours + 2 * i + 1] * normOf[kSlots];
    }
    const uvec4 unit = uvec4(packHalf2x16(low.xy), packHalf2x16(low.zw), packHalf2x16(high.xy),
                             packHalf2x16(high.zw));
    if (!isKey)
        newest[i - kHeadDim / 8] = unit;
    if (!stores)
        return;
    if (isKey)
        Uints4(cache.keys).v[cacheRow * (kHeadDim / 8) + i] = unit;
    else
        Uints4(cache.values).v[cacheRow * (kValueDim / 8) + i - kHeadDim / 8] = unit;
}
