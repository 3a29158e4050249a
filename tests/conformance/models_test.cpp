#include "tests/conformance/bench.h"
#include "tests/conformance/statistics.h"
#include "tests/support/golden.h"
#include "tests/support/model_fixture.h"
#include "tests/support/starter.h"

#include <algorithm>
#include <numeric>

// Whole models on graphics cards against what other programs compute from the same files.
namespace fireside::conformance {
namespace {

using test::cosineSimilarity;
using test::GoldenLogits;
using test::ModelFixture;

class ModelsTest : public testing::TestWithParam<std::string>
{
protected:
    void SetUp() override
    {
        if (target(GetParam()).isCpu())
            GTEST_SKIP() << "the CPU has its own tests of models";
    }
    std::shared_ptr<Device> device() const { return target(GetParam()).shared(); }

    void expectRow(const std::string &what, std::span<const float> row,
                   std::span<const float> golden, double bound = 0.999)
    {
        const double cosine = cosineSimilarity(row, golden);
        EXPECT_GE(cosine, bound) << what << " on " << GetParam();
        countCase(GetParam(), "models", what.substr(0, what.find(',')));
        noteError(GetParam(), "models", 1 - cosine);
    }

    void golden(const std::string &name, const std::filesystem::path &path,
                const GoldenLogits &golden, bool everyWay)
    {
        const ModelFixture model(path, {device()});
        const std::size_t T = golden.ids.size(), V = model.vocabulary();
        {
            const auto session = model.session();
            const auto logits = test::allLogits(*session, golden.ids);
            ASSERT_EQ(logits.size(), golden.logits.size());
            for (std::size_t t = 0; t < T; ++t)
                expectRow(name + ", all at once", std::span(logits).subspan(t * V, V),
                          golden.row(t));
        }
        std::vector<float> row(V);
        for (const DType kv : {DType::F16, DType::Q8_0, DType::F32}) {
            if (!everyWay && kv != DType::F16)
                continue;
            const auto session = model.session(64, kv);
            for (std::size_t t = 0; t < T; ++t) {
                session->append(std::span(golden.ids).subspan(t, 1), row);
                // A cache of 8 bits rounds by itself.
                expectRow(name + ", token by token", row, golden.row(t),
                          kv == DType::Q8_0 ? 0.998 : 0.999);
            }
        }
        for (const std::size_t chunk : {3u, 7u}) {
            if (!everyWay)
                break;
            const auto session = model.session(64, DType::F16);
            for (std::size_t t = 0; t < T; t += chunk) {
                const std::size_t count = std::min(chunk, T - t);
                session->append(std::span(golden.ids).subspan(t, count), row);
                expectRow(name + ", in chunks", row, golden.row(t + count - 1));
            }
        }
        if (!everyWay)
            return;
        // Three sessions at different places of the text, one token each per pass.
        std::vector<std::unique_ptr<Session>> sessions;
        std::vector<Session *> all;
        const std::size_t starts[] = {0, 3, 5};
        for (const std::size_t start : starts) {
            sessions.push_back(model.session(64, DType::F16));
            all.push_back(sessions.back().get());
            if (start > 0)
                all.back()->append(std::span(golden.ids).first(start), row);
        }
        for (std::size_t step = 0; step + 5 < T; ++step) {
            std::vector<TokenId> ids;
            for (const std::size_t start : starts)
                ids.push_back(golden.ids[start + step]);
            std::vector<std::vector<float>> rows;
            appendBatch(all, ids, rows);
            for (std::size_t i = 0; i < 3; ++i)
                expectRow(name + ", in a batch", rows[i], golden.row(starts[i] + step));
        }
    }
};

TEST_P(ModelsTest, GoldenFiles)
{
    for (const std::string &name : test::goldenGgufNames())
        golden(name, test::goldenGguf(name), test::goldenLogits(name),
               name == "f16" || name == "q4_k");
}

TEST_P(ModelsTest, GoldenFilesOfRarerTypes)
{
    for (const char *name : {"q4_1", "q5_0", "q5_1", "q2_k", "q3_k", "iq4_nl", "iq4_xs", "mxfp4"}) {
        const auto path = test::fullGoldenGguf(name);
        if (!path)
            GTEST_SKIP() << "the full set of golden models is not here";
        golden(name, *path, test::fullGoldenLogits(name), false);
    }
}

TEST_P(ModelsTest, GoldenFolders)
{
    int found = 0;
    for (const char *name : {"llama", "llama-attn-bias", "llama-linear-rope", "llama-yarn",
                             "llama3-rope", "mistral-swa", "mixtral", "qwen3", "qwen3-moe"}) {
        const auto folder = test::goldenFolder(name);
        if (!folder)
            continue;
        ++found;
        SCOPED_TRACE(name);
        const GoldenLogits golden = test::goldenFolderLogits(*folder);
        const ModelFixture model(*folder, {device()});
        const auto check = [&](std::span<const float> got, std::span<const float> expected,
                               const std::string &what) {
            const double difference = test::maxDifference(got, expected);
            EXPECT_LE(difference, 2e-3) << name << ", " << what;
            countCase(GetParam(), "model folders", name);
            noteError(GetParam(), "model folders", difference);
        };
        const std::vector<float> all = test::allLogits(*model.session(), golden.ids);
        for (std::size_t t = 0; t < golden.ids.size(); ++t)
            check(std::span(all).subspan(t * model.vocabulary(), model.vocabulary()), golden.row(t),
                  "in chunks, position " + std::to_string(t));
        const auto session = model.session();
        std::vector<float> row(model.vocabulary());
        for (std::size_t t = 0; t < golden.ids.size(); ++t) {
            session->append(std::span(golden.ids).subspan(t, 1), row);
            check(row, golden.row(t), "token by token, position " + std::to_string(t));
        }
        const auto greedySession = model.session();
        std::vector<TokenId> greedy{greedySession->appendGreedy(golden.ids)};
        while (greedy.size() < golden.greedy.size())
            greedy.push_back(greedySession->appendGreedy(std::span(greedy).last(1)));
        EXPECT_EQ(greedy, golden.greedy) << name;
    }
    if (found == 0)
        GTEST_SKIP() << "the golden models are not here";
}

TEST_P(ModelsTest, ASplitOverCpuAndCardGivesTheSame)
{
    const std::shared_ptr<Device> cpu = openCpu({.threads = 2});
    const GoldenLogits golden = test::goldenLogits("f16");
    const ModelFixture whole(test::goldenGguf("f16"), {device()});
    const auto layers = static_cast<std::size_t>(whole.layers());
    const auto expected = test::allLogits(*whole.session(), golden.ids);
    for (const bool cpuFirst : {true, false}) {
        std::vector<int> places(layers, cpuFirst ? 1 : 0);
        std::fill_n(places.begin(), layers / 2, cpuFirst ? 0 : 1);
        const ModelFixture split(test::goldenGguf("f16"), {cpu, device()}, places);
        const auto logits = test::allLogits(*split.session(), golden.ids);
        const std::size_t V = split.vocabulary();
        for (std::size_t t = 0; t < golden.ids.size(); ++t)
            expectRow("split, all at once", std::span(logits).subspan(t * V, V), golden.row(t));
        const auto session = split.session(64, DType::F16);
        std::vector<float> row(V);
        for (std::size_t t = 0; t < golden.ids.size(); ++t) {
            session->append(std::span(golden.ids).subspan(t, 1), row);
            expectRow("split, token by token", row, golden.row(t));
        }
    }
}

TEST_P(ModelsTest, TheStarterModelSaysTheSameOnCpuAndCard)
{
    const std::shared_ptr<Device> cpu = openCpu({.threads = 2});
    const ModelFixture onCpu(test::starterModel(), {cpu});
    const ModelFixture onCard(test::starterModel(), {device()});
    const std::size_t V = onCpu.vocabulary();
    std::vector<TokenId> prompt;
    for (int i = 0; i < 23; ++i)
        prompt.push_back(static_cast<TokenId>(300 + 97 * i));
    const auto a = onCpu.session(128, DType::F16), b = onCard.session(128, DType::F16);
    std::vector<float> cpuRow(V), cardRow(V);
    a->append(prompt, cpuRow);
    b->append(prompt, cardRow);
    const auto best = [](const std::vector<float> &row) {
        return std::max_element(row.begin(), row.end()) - row.begin();
    };
    int same = 0, steps = 0;
    for (; steps < 48; ++steps) {
        expectRow("starter, greedy", cardRow, cpuRow);
        const auto next = static_cast<TokenId>(best(cpuRow));
        const auto other = static_cast<std::size_t>(best(cardRow));
        same += static_cast<std::size_t>(next) == other ? 1 : 0;
        // The CPU rounds activations to 8 bits: where it differs, both were about as likely.
        const auto [low, high] = std::minmax_element(cpuRow.begin(), cpuRow.end());
        EXPECT_LE(*high - cpuRow[other], 0.02f * (*high - *low)) << "step " << steps;
        a->append(std::span(&next, 1), cpuRow);
        b->append(std::span(&next, 1), cardRow);
    }
    EXPECT_GE(same, steps - 5);
}

FIRESIDE_ON_EVERY_DEVICE(ModelsTest);

} // namespace
} // namespace fireside::conformance
