// What ops must read and multiply at least, counted by hand.
#include "engine/backend/op.h"
#include "engine/backend/op_work.h"

#include <gtest/gtest.h>

namespace fireside {
namespace {

Weight weight(DType type, std::int64_t rows, std::int64_t cols, std::int64_t depth = 1)
{
    Weight w;
    w.dtype = type;
    w.rows = rows;
    w.cols = cols;
    w.depth = depth;
    return w;
}

Tensor tensor(std::int64_t rows, std::int64_t cols, DType type = DType::F32)
{
    return {nullptr, 0, type, rows, cols, cols};
}

void expectWork(const Op &op, const op::PassRows &pass, const OpWork &wanted)
{
    const OpWork work = workOf(op, pass);
    EXPECT_EQ(work.bytes, wanted.bytes);
    EXPECT_EQ(work.byteProducts, wanted.byteProducts);
    EXPECT_EQ(work.floatProducts, wanted.floatProducts);
    EXPECT_EQ(work.floatBytes, wanted.floatBytes);
}

TEST(OpWork, ProductsReadEachWeightOnce)
{
    const Weight q4 = weight(DType::Q4_0, 10, 64), f16 = weight(DType::F16, 6, 64);
    const op::Linear linear{tensor(5, 64), {{&q4, tensor(5, 10)}, {&f16, tensor(5, 6)}}};
    expectWork(linear, {5, {}}, {10 * 36 + 6 * 128, 5 * 10 * 64, 5 * 6 * 64, 6 * 128});
    const op::GatedLinear gated{tensor(3, 64), {&q4, &q4}, Activation::SiLU, tensor(3, 10)};
    expectWork(gated, {3, {}}, {2 * 10 * 36, 2 * 3 * 10 * 64, 0});
    const Weight heads = weight(DType::Q8_0, 32, 96, 4);
    expectWork(op::HeadLinear{tensor(2, 4 * 96), heads, tensor(2, 4 * 32)}, {2, {}},
               {4 * 32 * 102, 2 * 4 * 32 * 96, 0});
}

TEST(OpWork, ExpertsThatMayBeChosenAreReadOnce)
{
    const Weight up = weight(DType::Q8_0, 16, 32, 8), down = weight(DType::Q8_0, 32, 16, 8);
    for (const std::int64_t rows : {1, 100}) {
        const std::int64_t choices = rows * 3, read = std::min<std::int64_t>(choices, 8);
        op::ExpertGatedLinear first{tensor(rows, 32),
                                    tensor(rows, 3, DType::I32),
                                    {nullptr, &up},
                                    Activation::SiLU,
                                    tensor(choices, 16)};
        expectWork(first, {rows, {}}, {double(read * 16 * 34), double(choices * 16 * 32), 0});
        first.weights.gate = &up;
        expectWork(first, {rows, {}},
                   {double(2 * read * 16 * 34), double(2 * choices * 16 * 32), 0});
    }
    const Weight wide = weight(DType::Q8_0, 32, 32, 8);
    const op::ExpertLinear last{
        tensor(6, 32), tensor(2, 3, DType::I32), tensor(2, 3), wide, nullptr, tensor(2, 32)};
    expectWork(last, {2, {}}, {6 * 32 * 34, 6 * 32 * 32, 0});
}

class AttentionWork : public testing::Test
{
protected:
    AttentionWork()
    {
        m_layer.values = m_layer.keys = reinterpret_cast<Buffer *>(&m_layer);
        m_layer.kvHeads = 2;
        m_layer.headDim = m_layer.valueDim = 32;
    }
    void expect(const AttentionShape &shape, double pairs, double keys, double bytesOfKey)
    {
        const BatchItem items[] = {{std::span(&m_layer, 1), 0, 3, 10}};
        expectWork(op::Attention{tensor(3, 4 * 32), 0, shape, tensor(3, 4 * 32)}, {3, items},
                   {keys * bytesOfKey, 0, pairs * 4 * 64});
    }
    AttentionShape m_shape{.heads = 4, .kvHeads = 2, .headDim = 32};
    KvLayer m_layer;
};

TEST_F(AttentionWork, ReadsTheCacheOnceForAllRows)
{
    expect(m_shape, 11 + 12 + 13, 13, 2 * 64 * 2);
    m_layer.dtype = DType::Q8_0;
    expect(m_shape, 11 + 12 + 13, 13, 2 * 2 * 34);
    m_layer.values = nullptr; // a latent cache
    expect(m_shape, 11 + 12 + 13, 13, 2 * 34);
}

TEST_F(AttentionWork, SeesWhatWindowsAndChunksLeave)
{
    AttentionShape window = m_shape, chunk = m_shape, open = m_shape;
    window.window = 4;
    expect(window, 4 + 4 + 4, 4 + 3, 2 * 64 * 2);
    chunk.chunk = 12; // rows at 10, 11 and 12
    expect(chunk, 11 + 12 + 1, 13, 2 * 64 * 2);
    open.causal = false;
    expect(open, 13 * 3, 13, 2 * 64 * 2);
}

TEST(OpWork, OpsWithoutProductsCountNothing)
{
    expectWork(op::Softmax{tensor(2, 8), 1, {}, tensor(2, 8)}, {2, {}}, {});
}

} // namespace
} // namespace fireside
