// Experts of mixtures on another device than the rest of their layers.
#include "engine/core/error.h"
#include "tests/support/fake_device.h"
#include "tests/support/golden.h"
#include "tests/support/model_fixture.h"
#include "tests/support/require.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace fireside {
namespace {

using test::ModelFixture;

constexpr double kBound = 2e-4; // largest absolute difference of a logit

/// A CPU backend that counts in the script.
std::shared_ptr<Device> counted(const std::shared_ptr<test::DeviceScript> &script)
{
    return test::fakeDevice(openCpu({.threads = 2}), {}, script);
}

class SplitExpertsTest : public testing::TestWithParam<std::string>
{
protected:
    void SetUp() override
    {
        const auto path = test::goldenFolder(GetParam());
        m_path = path;
        m_golden = test::goldenFolderLogits(path);
    }
    std::filesystem::path m_path;
    test::GoldenLogits m_golden;
};

TEST_P(SplitExpertsTest, LogitsAreThoseOfOneDevice)
{
    const std::int64_t count = ModelFixture(m_path).layers();
    const auto layers = static_cast<std::size_t>(count);
    const std::vector<int> first(layers, 0), second(layers, 1);
    std::vector<int> alternating(layers, 0), others(layers, 1), halves(layers, 0);
    for (std::size_t i = 0; i < layers; ++i) {
        alternating[i] = static_cast<int>(i % 2);
        others[i] = 1 - alternating[i];
        halves[i] = i < layers / 2 ? 0 : 1;
    }
    // All experts elsewhere, some, of layers that are split themselves, on a device without layers.
    for (const auto &[on, experts] :
         {std::pair{first, second}, std::pair{first, alternating}, std::pair{alternating, others},
          std::pair{halves, second}, std::pair{halves, std::vector<int>(layers, 2)}}) {
        SCOPED_TRACE(testing::PrintToString(on) + " with experts on " +
                     testing::PrintToString(experts));
        const auto script = std::make_shared<test::DeviceScript>();
        const ModelFixture split(m_path, {counted(script), counted(script), counted(script)}, on,
                                 experts);
        const auto whole = split.session(), single = split.session();
        const std::vector<float> logits = test::allLogits(*whole, m_golden.ids);
        EXPECT_LE(test::maxDifference(logits, m_golden.logits), kBound);
        std::vector<float> row(split.vocabulary());
        for (std::size_t t = 0; t < std::min<std::size_t>(m_golden.ids.size(), 8); ++t) {
            single->append(std::span(m_golden.ids).subspan(t, 1), row);
            ASSERT_LE(test::maxDifference(row, m_golden.row(t)), kBound) << t;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Mixtures, SplitExpertsTest,
                         testing::Values("qwen3-moe", "gpt-oss", "deepseek-v2", "deepseek-v3",
                                         "granite-hybrid-moe", "qwen3-next", "llama4", "gemma4-moe",
                                         "phimoe"),
                         [](const auto &test) {
                             std::string name = test.param;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

TEST(SplitExperts, ADeviceThatFailsInTheMiddleIsAnErrorAndThenWorksAgain)
{
    const auto path = test::goldenFolder("qwen3-moe");
    const test::GoldenLogits golden = test::goldenFolderLogits(path);
    for (const bool helper : {false, true}) {
        const auto script = std::make_shared<test::DeviceScript>();
        const std::shared_ptr<Device> sound = openCpu({.threads = 2});
        const std::shared_ptr<Device> failing = counted(script);
        const std::size_t layers = static_cast<std::size_t>(ModelFixture(path).layers());
        const ModelFixture split(path, {helper ? sound : failing, helper ? failing : sound}, {},
                                 std::vector<int>(layers, 1));
        const auto session = split.session();
        test::allLogits(*session, golden.ids);
        const int ops = script->count(test::DeviceScript::At::Op);
        ASSERT_GT(ops, 0);
        for (int n = 1; n <= ops; ++n) {
            script->fail({.in = n, .kind = ErrorKind::Memory});
            const auto other = split.session();
            EXPECT_THROW(test::allLogits(*other, golden.ids), Error) << n;
            script->forget();
            const std::vector<float> logits = test::allLogits(*split.session(), golden.ids);
            ASSERT_LE(test::maxDifference(logits, golden.logits), kBound) << n;
        }
    }
}

TEST(SplitExperts, PlacementsThatDoNotFitTheModelAreRefused)
{
    const auto path = test::goldenFolder("qwen3-moe");
    const auto layers = static_cast<std::size_t>(ModelFixture(path).layers());
    const std::shared_ptr<Device> a = openCpu({.threads = 1}), b = openCpu({.threads = 1}),
                                  c = openCpu({.threads = 1});
    EXPECT_THROW(ModelFixture(path, {a, b}, {}, std::vector<int>(layers + 1, 1)), Error);
    std::vector<int> two(layers, 1);
    two.back() = 2;
    try {
        const ModelFixture model(path, {a, b, c}, {}, two);
        FAIL() << "it loaded";
    } catch (const Error &error) {
        EXPECT_EQ(error.kind(), ErrorKind::Unsupported);
        EXPECT_NE(std::string(error.what()).find("on two devices besides"), std::string::npos)
            << error.what();
    }
}

} // namespace
} // namespace fireside
