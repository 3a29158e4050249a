#include "tests/conformance/bench.h"
#include "tests/conformance/statistics.h"
#include "tests/support/golden.h"
#include "tests/support/golden_converted.h"
#include "tests/support/model_fixture.h"
#include "tests/support/packed_folder.h"
#include "tests/support/require.h"
#include "tests/support/starter.h"
#include "tests/support/temp_dir.h"

#include <algorithm>
#include <array>
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
            FIRESIDE_SKIP("the CPU has its own tests of models");
    }
    std::shared_ptr<Device> device() const { return target(GetParam()).shared(); }

    void expectRow(const std::string &what, std::span<const float> row,
                   std::span<const float> golden, DType cache)
    {
        const bool rounds = cache == DType::Q8_0; // to 8 bits by itself
        const char *const op = rounds ? "models, Q8_0 cache" : "models";
        const double cosine = cosineSimilarity(row, golden);
        // Matrices round what they multiply to F16.
        const double enough = target(GetParam()).uses("cooperative matrix") ? 0.99995 : 0.99999;
        EXPECT_GE(cosine, rounds ? 0.9997 : enough) << what << " on " << GetParam();
        countCase(GetParam(), op, what.substr(0, what.find(',')));
        noteError(GetParam(), op, 1 - cosine);
    }

    void inChunks(const std::string &name, const ModelFixture &model, const GoldenLogits &golden,
                  DType cache, std::size_t chunk)
    {
        const auto session = model.session(64, cache);
        std::vector<float> row(model.vocabulary());
        for (std::size_t t = 0; t < golden.ids.size(); t += chunk) {
            const std::size_t count = std::min(chunk, golden.ids.size() - t);
            session->append(std::span(golden.ids).subspan(t, count), row);
            expectRow(name + ", in chunks of " + std::to_string(chunk), row,
                      golden.row(t + count - 1), cache);
        }
    }

    /// Three sessions whose prompts, of different lengths, are read in one pass, then one token
    /// each per pass, and in between some tokens of one beside those of the others.
    void inABatch(const std::string &name, const ModelFixture &model, const GoldenLogits &golden)
    {
        std::vector<std::unique_ptr<Session>> sessions;
        for (int i = 0; i < 3; ++i)
            sessions.push_back(model.session(64, DType::F16));
        std::array<std::size_t, 3> done{0, 0, 0}, more{1, 4, 6};
        for (std::size_t step = 0; done[2] < golden.ids.size(); ++step) {
            std::vector<BatchPart> parts;
            for (std::size_t i = 0; i < 3; ++i)
                parts.push_back(
                    {sessions[i].get(), std::span(golden.ids).subspan(done[i], more[i])});
            std::vector<std::vector<float>> rows;
            appendBatch(parts, rows);
            for (std::size_t i = 0; i < 3; ++i) {
                done[i] += more[i];
                more[i] = i == 0 && step == 1 ? 3 : 1;
                expectRow(name + ", in a batch", rows[i], golden.row(done[i] - 1), DType::F16);
            }
        }
    }

    /// everyCache, everyWay: also what does not depend on the type of the weights.
    void golden(const std::string &name, bool everyCache, bool everyWay)
    {
        const GoldenLogits golden = test::goldenLogits(name);
        const ModelFixture model(test::goldenGguf(name), {device()});
        const std::size_t V = model.vocabulary();
        for (const DType cache : {DType::F16, DType::Q8_0, DType::F32}) {
            if (!everyCache && cache != DType::F16)
                continue;
            const auto logits = test::allLogits(*model.session(64, cache), golden.ids);
            ASSERT_EQ(logits.size(), golden.logits.size());
            for (std::size_t t = 0; t < golden.ids.size(); ++t)
                expectRow(name + ", all at once", std::span(logits).subspan(t * V, V),
                          golden.row(t), cache);
            inChunks(name, model, golden, cache, 1);
        }
        if (!everyWay)
            return;
        for (const std::size_t chunk : {3u, 7u})
            inChunks(name, model, golden, DType::F16, chunk);
        inABatch(name, model, golden);
    }

    /// What transformers computes in float32.
    void family(const std::string &name, const std::filesystem::path &path,
                const GoldenLogits &golden)
    {
        const ModelFixture model(path, {device()});
        const std::size_t V = model.vocabulary();
        const auto check = [&](std::span<const float> got, std::size_t t, const char *way) {
            const double difference = test::maxDifference(got, golden.row(t));
            EXPECT_LE(difference, 2e-3) << name << ", " << way << ", position " << t;
            countCase(GetParam(), "model folders", name);
            noteError(GetParam(), "model folders", difference);
        };
        const std::vector<float> all = test::allLogits(*model.session(), golden.ids);
        ASSERT_EQ(all.size(), golden.logits.size()) << name;
        for (std::size_t t = 0; t < golden.ids.size(); ++t)
            check(std::span(all).subspan(t * V, V), t, "at once");
        // Software devices take only the end of the text token by token.
        const std::size_t T = golden.ids.size();
        const std::size_t first =
            target(GetParam()).thorough() ? 0 : T - std::min<std::size_t>(T, 3);
        const auto session = model.session();
        std::vector<float> row(V);
        if (first > 0)
            session->append(std::span(golden.ids).first(first), row);
        for (std::size_t t = first; t < T; ++t) {
            session->append(std::span(golden.ids).subspan(t, 1), row);
            check(row, t, "token by token");
        }
        const auto greedySession = model.session();
        std::vector<TokenId> greedy{greedySession->appendGreedy(golden.ids)};
        while (greedy.size() < golden.greedy.size())
            greedy.push_back(greedySession->appendGreedy(std::span(greedy).last(1)));
        EXPECT_EQ(greedy, golden.greedy) << name;
    }
};

TEST_P(ModelsTest, GoldenFiles)
{
    const bool thorough = target(GetParam()).thorough();
    for (const std::string &name : test::goldenGgufNames()) {
        const bool both = name == "f16" || name == "q4_k";
        golden(name, both, both && (thorough || name == "q4_k"));
    }
}

TEST_P(ModelsTest, GoldenFoldersAndTheSameConverted)
{
    for (const std::string &name : test::goldenFolderNames()) {
        const auto folder = test::goldenFolder(name);
        family(name, folder, test::goldenFolderLogits(folder));
    }
    if (!target(GetParam()).thorough()) // the device sees the same weights
        return;
    for (const std::string &name : test::goldenConvertedNames())
        family(name + " as GGUF", test::goldenConverted(name),
               test::goldenFolderLogits(test::goldenFolder(name)));
}

// Folders with quantised weights, against the numbers that these stand for in F32 on the CPU.
TEST_P(ModelsTest, FoldersWithQuantisedWeights)
{
    const bool thorough = target(GetParam()).thorough();
    for (const test::PackedKind &kind : test::packedKinds()) {
        // Software devices take one kind of each way from the file to the device.
        const auto folder = test::goldenFolder(kind.model);
        if (!thorough && kind.name != "Gptq4Zeros" && kind.name != "AwqMixture" &&
            kind.name != "Fp8Blocks" && kind.name != "Gptq4ActOrder" &&
            kind.name != "Gptq4ActOrderMixture")
            continue;
        const test::TempDir dir;
        test::writePackedFolder(kind, folder, dir / "packed", dir / "plain");
        const ModelFixture packed(dir / "packed", {device()}), plain(dir / "plain");
        const std::vector<TokenId> ids = test::goldenFolderLogits(folder).ids;
        const double difference = test::maxDifference(test::allLogits(*packed.session(), ids),
                                                      test::allLogits(*plain.session(), ids));
        EXPECT_LE(difference, 4e-3) << kind.name;
        countCase(GetParam(), "quantised folders", kind.name);
        noteError(GetParam(), "quantised folders", difference);
    }
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
            expectRow("split, all at once", std::span(logits).subspan(t * V, V), golden.row(t),
                      DType::F32);
        const auto session = split.session(64, DType::F16);
        std::vector<float> row(V);
        for (std::size_t t = 0; t < golden.ids.size(); ++t) {
            session->append(std::span(golden.ids).subspan(t, 1), row);
            expectRow("split, token by token", row, golden.row(t), DType::F16);
        }
    }
}

// The card takes activations as they are and the CPU rounds them to 8 bits, so each is compared
// with the same weights as F32 on the CPU.
TEST_P(ModelsTest, TheStarterModelSaysTheSameOnCpuAndCard)
{
    const test::TempDir dir;
    const std::shared_ptr<Device> cpu = openCpu({.threads = 2});
    const ModelFixture exact(test::starterModelInF32(dir), {cpu});
    const ModelFixture onCpu(test::starterModel(), {cpu});
    const ModelFixture onCard(test::starterModel(), {device()});
    std::vector<TokenId> ids;
    for (int i = 0; i < 23; ++i)
        ids.push_back(static_cast<TokenId>(300 + 97 * i));
    const auto reference = exact.session(128, DType::F32);
    const auto a = onCpu.session(128, DType::F16), b = onCard.session(128, DType::F16);
    const auto best = [](const std::vector<float> &row) {
        return static_cast<std::size_t>(std::max_element(row.begin(), row.end()) - row.begin());
    };
    const int steps = target(GetParam()).thorough() ? 48 : 24;
    std::vector<float> row(exact.vocabulary()), cpuRow(row.size()), cardRow(row.size());
    for (int step = 0; step < steps; ++step) {
        reference->append(ids, row);
        a->append(ids, cpuRow);
        b->append(ids, cardRow);
        EXPECT_GE(cosineSimilarity(cpuRow, row), 0.998) << "step " << step;
        EXPECT_GE(cosineSimilarity(cardRow, row), 0.99999) << "step " << step;
        // Where another token is the likeliest, both were about as likely.
        const auto [low, high] = std::minmax_element(row.begin(), row.end());
        const float range = *high - *low;
        EXPECT_LE(*high - row[best(cpuRow)], 0.02f * range) << "step " << step;
        EXPECT_LE(*high - row[best(cardRow)], 1e-3f * range) << "step " << step;
        ids.assign(1, static_cast<TokenId>(best(row)));
    }
}

FIRESIDE_ON_EVERY_DEVICE(ModelsTest);

} // namespace
} // namespace fireside::conformance
