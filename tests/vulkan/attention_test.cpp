#include "engine/core/error.h"
#include "tests/vulkan/sessions.h"

// What the conformance tests of attention cannot reach: replays, slices, wrong shapes.
namespace fireside {
namespace {

using test::Case;
using test::expectNear;
using test::kPoison;
using test::randomValues;
using test::Sessions;
using test::VulkanAttention;

TEST_F(VulkanAttention, ReplayedPassesSeeOtherLengths)
{
    const Case c{.items = {{1, 900}, {1, 700}}, .cache = DType::F16};
    Sessions sessions(device(), c);
    sessions.prepareReference();
    PassOptions options;
    options.recording = 77;
    for (const std::vector<std::int64_t> &pasts :
         {std::vector<std::int64_t>{3, 0}, {900, 64}, {127, 700}, {0, 1}}) {
        for (std::size_t i = 0; i < pasts.size(); ++i)
            sessions.items[i].past = pasts[i];
        sessions.begin(options);
        if (sessions.begun == Commands::Begin::Record) {
            // The queries stay from the first pass: a replay uploads nothing.
            const Tensor q = sessions.upload(sessions.queries, c.heads * c.dim);
            const Tensor out = sessions.output();
            sessions.commands->record(op::Attention{q, 0, sessions.shape, out});
            sessions.commands->keep(0, out);
        }
        sessions.commands->sync();
        expectNear(sessions.result(sessions.commands->kept(0)), sessions.expected(), 1e-5,
                   "past " + std::to_string(pasts[0]) + " and " + std::to_string(pasts[1]));
    }
}

TEST_F(VulkanAttention, NaNInAKeyReachesTheOutput)
{
    for (const std::int64_t rows : {1, 40}) {
        test::OpPass pass(device(), {rows});
        auto k = randomValues(rows * 32, 1);
        k[5] = kPoison; // the first key, which every query sees
        const auto x = randomValues(rows * 32, 2);
        AttentionShape shape;
        shape.heads = shape.kvHeads = 1;
        shape.headDim = 32;
        shape.scale = 0.2f;
        const Tensor out = pass.out(rows, 32);
        pass.commands().record(op::SequenceAttention{pass.in(x, rows, 32), pass.in(k, rows, 32),
                                                     pass.in(x, rows, 32), shape, out});
        pass.run();
        for (const float value : pass.get(out))
            ASSERT_TRUE(std::isnan(value)) << rows << " rows";
    }
}

TEST_F(VulkanAttention, OtherSessionsRowsAreNotRead)
{
    // What lies in a cache behind a session's keys may be anything.
    const Case c{.items = {{1, 70}, {40, 3}}};
    Sessions sessions(device(), c);
    sessions.prepareReference();
    sessions.items[0].past = 20; // the rest of the 71 keys is of another turn
    sessions.begin();
    const Tensor q = sessions.upload(sessions.queries, c.heads * c.dim);
    const Tensor out = sessions.output();
    sessions.commands->record(op::Attention{q, 0, sessions.shape, out});
    sessions.commands->sync();
    expectNear(sessions.result(out), sessions.expected(), 1e-5, text(c));
}

TEST_F(VulkanAttention, WrongShapesAreErrors)
{
    const Case c{.items = {{2, 3}}};
    Sessions sessions(device(), c);
    sessions.begin();
    const Tensor q = sessions.upload(sessions.queries, c.heads * c.dim);
    const Tensor out = sessions.output();
    Commands &commands = *sessions.commands;
    const AttentionShape shape = sessions.shape;
    EXPECT_THROW(commands.record(op::Attention{q.columns(0, 64), 0, shape, out}), Error);
    EXPECT_THROW(commands.record(op::Attention{q, 0, shape, out.rowRange(0, 1)}), Error);
    EXPECT_THROW(commands.record(op::Attention{q, 1, shape, out}), Error);
    AttentionShape other = shape;
    other.kvHeads = 4;
    EXPECT_THROW(commands.record(op::Attention{q, 0, other, out}), Error);
    other = shape;
    other.headDim = other.valueDim = 32;
    EXPECT_THROW(commands.record(op::Attention{q.columns(0, 128), 0, other, out.columns(0, 128)}),
                 Error);
    HeadTransform none;
    none.headDim = 64;
    const Tensor kv = q.columns(0, 128);
    EXPECT_THROW(commands.record(op::AppendKv{q, none, q, none, kv, 0, shape}), Error);
    Rope rope;
    rope.inverseFrequencies.assign(33, 0.5f);
    HeadTransform wide = none;
    wide.rope = rope;
    EXPECT_THROW(commands.record(op::AppendKv{q, none, kv, wide, kv, 0, shape}), Error);
}

} // namespace
} // namespace fireside
