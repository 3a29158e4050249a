#include "tests/support/reference_rows.h"
#include "tests/vulkan/op_pass.h"

#include "engine/core/error.h"

#include <functional>
#include <numeric>

// Ops that know the items of a batch, against double-precision references; refusals of bad shapes.
namespace fireside {
namespace {

using test::expectClose;
using test::kLayouts;
using test::Layout;
using test::OpPass;
using test::otherType;
using test::randomValues;
using test::rounded;
using test::text;

using VulkanItems = test::OnVulkan;

/// Numbers of rows of the items of a batch.
const std::vector<std::int64_t> kBatches[] = {{1},          {1, 1, 1}, {5, 0, 3},
                                              {1, 100, 33}, {0, 2},    {257}};

std::int64_t sumOf(const std::vector<std::int64_t> &values)
{
    return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

TEST_F(VulkanItems, PadUnpadPool)
{
    for (const auto &items : kBatches)
        for (const std::int64_t cols : {1, 33, 64})
            for (const Layout &layout : kLayouts) {
                const auto count = static_cast<std::int64_t>(items.size());
                const std::int64_t T = sumOf(items);
                const std::int64_t longest = *std::max_element(items.begin(), items.end()) + 2;
                const auto x = rounded(randomValues(T * cols, 1), layout.dtype);
                const auto p = rounded(randomValues(count * longest * cols, 2), layout.dtype);
                OpPass pass(device(), items);
                const Tensor a = pass.in(x, T, cols, layout);
                const Tensor padded = pass.out(count * longest, cols, layout);
                const Tensor b = pass.in(p, count * longest, cols, layout);
                const Tensor unpadded = pass.out(T, cols, otherType(layout));
                const Tensor first = pass.out(count, cols, layout);
                const Tensor mean = pass.out(count, cols, otherType(layout));
                const Tensor last = pass.out(count, cols, layout);
                pass.commands().record(op::Pad{a, padded});
                pass.commands().record(op::Unpad{b, unpadded});
                pass.commands().record(op::Pool{a, Pooling::First, first});
                pass.commands().record(op::Pool{a, Pooling::Mean, mean});
                pass.commands().record(op::Pool{a, Pooling::Last, last});
                pass.run();
                const auto n = static_cast<std::size_t>(cols);
                const auto most = static_cast<std::size_t>(longest);
                const std::string where = text(T, cols, layout);
                const auto got = pass.get(padded);
                EXPECT_EQ(std::vector<double>(got.begin(), got.end()),
                          reference::pad(x, n, items, most))
                    << where;
                expectClose(pass.get(unpadded), reference::unpad(p, n, items, most),
                            otherType(layout).dtype, where);
                expectClose(pass.get(first), reference::pool(x, n, items, Pooling::First),
                            layout.dtype, where);
                expectClose(pass.get(mean), reference::pool(x, n, items, Pooling::Mean),
                            otherType(layout).dtype, where);
                expectClose(pass.get(last), reference::pool(x, n, items, Pooling::Last),
                            layout.dtype, where);
            }
}

/// The text of the Error(Internal) that recording throws.
std::string refusal(const std::function<void()> &record)
{
    try {
        record();
    } catch (const Error &error) {
        EXPECT_EQ(error.kind(), ErrorKind::Internal) << error.what();
        return error.what();
    }
    return "nothing was thrown";
}

TEST_F(VulkanItems, WrongShapesAreRefused)
{
    OpPass pass(device());
    Commands &c = pass.commands();
    const Weight &w = pass.weight(randomValues(8, 1), 1, 8);
    const Tensor a = pass.out(3, 8), narrow = pass.out(3, 7), few = pass.out(2, 8);
    const Tensor ids = pass.integers({}, 3, 1), many = pass.integers({}, 3, 9);
    Routing routing;
    routing.used = 9;
    const std::pair<const char *, std::function<void()>> cases[] = {
        {"gatherRows",
         [&] {
             c.record(op::GatherRows{a, ids, few});
         }},
        {"copy",
         [&] {
             c.record(op::Copy{a, narrow});
         }},
        {"copy",
         [&] {
             c.record(op::Copy{a, few});
         }},
        {"copy",
         [&] {
             c.record(op::Copy{ids, few.columns(0, 1)});
         }},
        {"rmsNorm",
         [&] {
             c.record(op::RmsNorm{narrow, &w, 0, narrow});
         }},
        {"rmsNorm",
         [&] {
             c.record(op::RmsNorm{a, &w, 0, few});
         }},
        {"rmsNorm",
         [&] {
             c.record(op::RmsNorm{a, &w, 0, a, few});
         }},
        {"layerNorm",
         [&] {
             c.record(op::LayerNorm{narrow, &w, nullptr, 0, narrow});
         }},
        {"layerNorm",
         [&] {
             c.record(op::LayerNorm{a, &w, &w, 0, a, few});
         }},
        {"l2Normalize",
         [&] {
             c.record(op::L2Normalize{a, few});
         }},
        {"add",
         [&] {
             c.record(op::Add{a, few, a});
         }},
        {"multiply",
         [&] {
             c.record(op::Multiply{a, narrow, a});
         }},
        {"addScaled",
         [&] {
             c.record(op::AddScaled{a, 1, few});
         }},
        {"addBias",
         [&] {
             c.record(op::AddBias{narrow, w, {}, narrow});
         }},
        {"addBias",
         [&] {
             c.record(op::AddBias{a, w, few, a});
         }},
        {"activate",
         [&] {
             c.record(op::Activate{narrow, Activation::SiLU, &w, narrow});
         }},
        {"gate",
         [&] {
             c.record(op::Gate{a, few, Activation::SiLU, a});
         }},
        {"gate",
         [&] {
             c.record(op::Gate{ids, ids, Activation::SiLU, ids});
         }},
        {"softcap",
         [&] {
             c.record(op::Softcap{a, 1, narrow});
         }},
        {"route",
         [&] {
             c.record(op::Route{a, routing, many, few});
         }},
        {"argmax",
         [&] {
             c.record(op::Argmax{a, many});
         }},
        {"topK",
         [&] {
             c.record(op::TopK{a, narrow, many});
         }},
        {"pad",
         [&] {
             c.record(op::Pad{a, a});
         }},
        {"unpad",
         [&] {
             c.record(op::Unpad{a, a});
         }},
        {"pool",
         [&] {
             c.record(op::Pool{a, Pooling::Mean, a});
         }},
        {"shortConvolution",
         [&] {
             c.record(op::ShortConvolution{a, w, nullptr, 0, 0, a});
         }},
        {"gatedDeltaRule",
         [&] {
             c.record(op::GatedDeltaRule{a, a, a, a, a, 2, 2, 0, 0, a});
         }},
    };
    for (const auto &[op, record] : cases) {
        const std::string text = refusal(record);
        EXPECT_EQ(text.rfind(op, 0), 0U) << op << ": " << text;
    }
}

} // namespace
} // namespace fireside
