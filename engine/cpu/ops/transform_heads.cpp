#include "engine/cpu/ops/head_ops.h"
#include "engine/cpu/ops/op_call.h"
#include "engine/cpu/simd/kernels.h"

#include <cmath>

namespace fireside::cpu {
namespace {

void rotateHalfSplit(float *head, const float *cosine, const float *sine, std::size_t half)
{
    for (std::size_t i = 0; i < half; ++i) {
        const float a = head[i], b = head[i + half];
        head[i] = a * cosine[i] - b * sine[i];
        head[i + half] = b * cosine[i] + a * sine[i];
    }
}

void rotateInterleaved(float *head, const float *cosine, const float *sine, std::size_t half)
{
    for (std::size_t i = 0; i < half; ++i) {
        const float a = head[2 * i], b = head[2 * i + 1];
        head[2 * i] = a * cosine[i] - b * sine[i];
        head[2 * i + 1] = b * cosine[i] + a * sine[i];
    }
}

} // namespace

void transformHeads(ThreadPool &pool, const InRows &x, std::size_t heads, const HeadStep &step,
                    HeadOrder to, const FloatRows &out)
{
    const VectorKernels &vec = vectorKernels();
    const auto rotate =
        step.pairing == RopePairing::HalfSplit ? rotateHalfSplit : rotateInterleaved;
    const std::size_t dim = x.cols / heads;
    forRows(pool, x.rows, x.cols, [&](std::size_t t) {
        const float *cosine = step.cosSin ? step.cosSin + t * 2 * step.pairs : nullptr;
        for (std::size_t h = 0; h < heads; ++h) {
            const float *from = x.row(t) + h * dim;
            float *head =
                to == HeadOrder::TokenMajor ? out.row(t) + h * dim : out.row(h * x.rows + t);
            if (step.norm) {
                const float mean = vec.sumSquares(from, dim) / static_cast<float>(dim);
                vec.scaleMul(head, from, step.norm, 1.0f / std::sqrt(mean + step.eps), dim);
            } else if (head != from) {
                std::copy_n(from, dim, head);
            }
            if (cosine)
                rotate(head + step.firstChannel, cosine, cosine + step.pairs, step.pairs);
        }
    });
}

void run(OpCall &call, const op::TransformHeads &op)
{
    const HeadStep step = call.headStep(op.transform);
    const InRows x = call.input(op.x, "x");
    const FloatRows out = call.output(op.out, "out");
    const std::size_t heads = size(op.x.cols / op.transform.headDim);
    call.run([&] { transformHeads(call.pool(), x, heads, step, op.to, out); });
}

} // namespace fireside::cpu
