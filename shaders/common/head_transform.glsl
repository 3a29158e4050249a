// Norm and rotation of one head, from memory into shared memory. The includer declares
// `shared float staged[]` before, with room for a head.
#include "shaders/common/activations.glsl"
#include "shaders/common/reduce.glsl"
#include "shaders/common/rope.glsl"

struct Rotation
{
    bool interleaved;
    uint pairs, first; // channels [first, first + 2·pairs) are rotated
    float factor;
    uvec2 turns; // [pairs] uvec2: see rope.glsl
};

/// staged[to …] = channels [from, from + dim) of x, normalised and rotated. No barrier at the end.
void stageHead(uvec2 x, bool isHalf, uint from, uint dim, uint to, bool normed, uvec2 weight,
               float eps, Rotation rotation, uint position)
{
    const uint thread = gl_LocalInvocationID.x, threads = gl_WorkGroupSize.x;
    float norm = 1;
    if (normed) {
        float sum = 0;
        for (uint c = thread; c < dim; c += threads) {
            const float value = loadActivation(x, isHalf, from + c);
            sum += value * value;
        }
        norm = 1 / sqrt(groupSum(sum) / float(dim) + eps);
    }
    for (uint p = thread; p < rotation.pairs; p += threads) {
        const uint a = rotation.first + (rotation.interleaved ? 2 * p : p);
        const uint b = rotation.interleaved ? a + 1 : a + rotation.pairs;
        vec2 value = vec2(loadActivation(x, isHalf, from + a), loadActivation(x, isHalf, from + b));
        if (normed)
            value *= norm * vec2(Floats(weight).v[a], Floats(weight).v[b]);
        const vec2 rotation = cosSin(position, Uints2(rotation.turns).v[p]) * rotation.factor;
        staged[to + a] = value.x * rotation.x - value.y * rotation.y;
        staged[to + b] = value.y * rotation.x + value.x * rotation.y;
    }
    const uint still = dim - 2 * rotation.pairs;
    for (uint i = thread; i < still; i += threads) {
        const uint c = i < rotation.first ? i : i + 2 * rotation.pairs;
        const float value = loadActivation(x, isHalf, from + c);
        staged[to + c] = normed ? value * norm * Floats(weight).v[c] : value;
    }
}
