// Hugging Face folders, and the same models as GGUF files, against what transformers computes from
// them in float32.
#include "engine/files/gguf.h"
#include "engine/model/describe.h"
#include "engine/model/rope_frequencies.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/gguf_from_folder.h"
#include "tests/support/golden.h"
#include "tests/support/golden_converted.h"
#include "tests/support/model_fixture.h"
#include "tests/support/multimodal_folder.h"
#include "tests/support/require.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

namespace fireside {
namespace {

using test::GoldenLogits;
using test::ModelFixture;

constexpr double kBound = 2e-4; // largest absolute difference of a logit

enum class Form {
    Folder,    // Hugging Face's
    Converted, // the GGUF file that another program made of it
    Renamed,   // the GGUF file that the engine makes of it
};

class GoldenModelTest : public testing::TestWithParam<std::tuple<std::string, Form>>
{
protected:
    void SetUp() override
    {
        const auto path = place();
        m_golden =
            test::goldenFolderLogits(path.filename() == "model.gguf" ? path.parent_path() : path);
        if (form() == Form::Renamed)
            test::writeGgufOf(path, m_dir / "model.gguf");
        m_model =
            std::make_unique<ModelFixture>(form() == Form::Renamed ? m_dir / "model.gguf" : path);
    }
    static const std::string &name() { return std::get<std::string>(GetParam()); }
    static Form form() { return std::get<Form>(GetParam()); }
    static std::filesystem::path place()
    {
        return form() == Form::Converted ? test::goldenConverted(name())
                                         : test::goldenFolder(name());
    }
    double differenceAt(std::size_t t, std::span<const float> row) const
    {
        return test::maxDifference(row, m_golden.row(t));
    }

    test::TempDir m_dir;
    GoldenLogits m_golden;
    std::unique_ptr<ModelFixture> m_model;
};

TEST_P(GoldenModelTest, AllPositionsAtOnce)
{
    const auto session = m_model->session();
    const std::vector<float> logits = test::allLogits(*session, m_golden.ids);
    EXPECT_LE(test::maxDifference(logits, m_golden.logits), kBound);
}

TEST_P(GoldenModelTest, TokenByToken)
{
    const auto session = m_model->session();
    std::vector<float> row(m_model->vocabulary());
    for (std::size_t t = 0; t < m_golden.ids.size(); ++t) {
        session->append(std::span(m_golden.ids).subspan(t, 1), row);
        EXPECT_LE(differenceAt(t, row), kBound) << "position " << t;
    }
}

TEST_P(GoldenModelTest, InChunks)
{
    for (const std::size_t chunk : {3u, 7u, 16u}) {
        const auto session = m_model->session();
        std::vector<float> row(m_model->vocabulary());
        for (std::size_t t = 0; t < m_golden.ids.size(); t += chunk) {
            const std::size_t count = std::min(chunk, m_golden.ids.size() - t);
            session->append(std::span(m_golden.ids).subspan(t, count), row);
            EXPECT_LE(differenceAt(t + count - 1, row), kBound)
                << "position " << t + count - 1 << " in chunks of " << chunk;
        }
    }
}

// What an edit does: other tokens come, the first ones come back.
TEST_P(GoldenModelTest, TruncatedAndRefilled)
{
    const auto session = m_model->session();
    std::vector<float> row(m_model->vocabulary());
    const std::span<const TokenId> ids = m_golden.ids;
    session->append(ids, row);
    for (const std::size_t kept : {9u, 1u, 0u, 17u}) {
        session->append(ids.first(3), row);
        session->truncate(std::min(kept, session->tokens().size()));
        const std::size_t there = session->tokens().size();
        ASSERT_LE(there, kept);
        session->append(ids.subspan(there), row);
        EXPECT_LE(differenceAt(ids.size() - 1, row), kBound) << "after " << kept << " tokens";
    }
}

/// The first pass reads prompts of several lengths, those that follow have a token of each; then
/// one reads more again, beside the others' tokens.
TEST_P(GoldenModelTest, InABatchWithOthers)
{
    constexpr std::size_t kLongest = 11;
    std::array<std::size_t, 3> done{0, 0, 0}, more{1, 4, kLongest + 1};
    std::vector<std::unique_ptr<Session>> sessions;
    for (std::size_t i = 0; i < done.size(); ++i)
        sessions.push_back(m_model->session());
    const auto all = std::span(m_golden.ids);
    for (int step = 0; done.back() + 1 < all.size(); ++step) {
        std::vector<BatchPart> parts;
        for (std::size_t i = 0; i < done.size(); ++i)
            parts.push_back({sessions[i].get(), all.subspan(done[i], more[i]), step != 0 || i > 0});
        std::vector<std::vector<float>> rows;
        appendBatch(parts, rows);
        for (std::size_t i = 0; i < done.size(); ++i) {
            done[i] += more[i];
            more[i] = i == 0 && step == 1 ? 5 : 1;
            ASSERT_EQ(rows[i].empty(), !parts[i].wanted);
            if (!parts[i].wanted)
                continue;
            EXPECT_LE(differenceAt(done[i] - 1, rows[i]), kBound)
                << "session " << i << ", step " << step;
        }
    }
}

TEST_P(GoldenModelTest, GreedyTokensFollow)
{
    const auto session = m_model->session();
    std::vector<TokenId> greedy{session->appendGreedy(m_golden.ids)};
    while (greedy.size() < m_golden.greedy.size())
        greedy.push_back(session->appendGreedy(std::span(greedy).last(1)));
    EXPECT_EQ(greedy, m_golden.greedy);
}

/// What is loaded from a renamed file runs like any other.
class RenamedModelTest : public GoldenModelTest
{};

TEST_P(RenamedModelTest, LogitsAndGreedyTokens)
{
    const auto session = m_model->session();
    const std::vector<float> logits = test::allLogits(*session, m_golden.ids);
    EXPECT_LE(test::maxDifference(logits, m_golden.logits), kBound);
    const auto greedy = m_model->session();
    std::vector<TokenId> ids{greedy->appendGreedy(m_golden.ids)};
    while (ids.size() < m_golden.greedy.size())
        ids.push_back(greedy->appendGreedy(std::span(ids).last(1)));
    EXPECT_EQ(ids, m_golden.greedy);
}

std::string nameOf(const testing::TestParamInfo<std::tuple<std::string, Form>> &test)
{
    std::string name = std::get<std::string>(test.param);
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
    return name;
}

// Models of which the other program's converter made a GGUF file.
/// All whose families exist as GGUF files.
std::vector<std::string> renamedNames()
{
    std::vector<std::string> names = test::goldenFolderNames();
    // Mamba 2: the other program norms groups of channels, transformers all of a row.
    for (const char *without : {"nanochat", "opt", "mamba2", "olmo-hybrid"})
        std::erase(names, without);
    return names;
}

INSTANTIATE_TEST_SUITE_P(Folders, GoldenModelTest,
                         testing::Combine(testing::ValuesIn(test::goldenFolderNames()),
                                          testing::Values(Form::Folder)),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Converted, GoldenModelTest,
                         testing::Combine(testing::ValuesIn(test::goldenConvertedNames()),
                                          testing::Values(Form::Converted)),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Renamed, RenamedModelTest,
                         testing::Combine(testing::ValuesIn(renamedNames()),
                                          testing::Values(Form::Renamed)),
                         nameOf);

/// All but those of the vocabulary, which the folders do not have.
bool isOfModel(std::string_view key)
{
    return !key.starts_with("tokenizer.") && key != "general.file_type";
}

void expectKeysOf(const Gguf &theirs, const Gguf &ours, const std::string &name)
{
    std::size_t wanted = 0, there = 0;
    for (const auto &[key, value] : ours.metadata())
        there += isOfModel(key);
    for (std::size_t i = 0; i < theirs.metadata().size(); ++i) {
        const std::string_view key = theirs.metadata()[i].first;
        if (!isOfModel(key))
            continue;
        ++wanted;
        const auto own = std::find_if(ours.metadata().begin(), ours.metadata().end(),
                                      [&](const auto &entry) { return entry.first == key; });
        ASSERT_NE(own, ours.metadata().end()) << name << ", " << key;
        const GgufRawValue &is =
            ours.rawMetadata()[static_cast<std::size_t>(own - ours.metadata().begin())];
        const GgufRawValue &should = theirs.rawMetadata()[i];
        EXPECT_EQ(is.type, should.type) << name << ", " << key;
        EXPECT_TRUE(std::ranges::equal(is.bytes, should.bytes)) << name << ", " << key;
    }
    EXPECT_EQ(there, wanted) << name;
}

// What the converter makes of a folder, also where the full set is not there, is what the other
// program makes of it.
TEST(GoldenModels, RenamedTensorsAreTheConverters)
{
    for (const std::string &name : test::goldenConvertedNames()) {
        const test::TempDir dir;
        test::writeGgufOf(test::goldenFolder(name), dir / "model.gguf");
        const Gguf ours = Gguf::open(dir / "model.gguf");
        const Gguf theirs = Gguf::open(test::goldenConverted(name));
        expectKeysOf(theirs, ours, name);
        EXPECT_EQ(ours.tensors().size(), theirs.tensors().size()) << name;
        for (const GgufTensor &tensor : theirs.tensors()) {
            const GgufTensor *const own = ours.findTensor(tensor.name);
            ASSERT_NE(own, nullptr) << name << ", " << tensor.name;
            EXPECT_EQ(own->dims, tensor.dims) << name << ", " << tensor.name;
            EXPECT_EQ(own->dtype, tensor.dtype) << name << ", " << tensor.name;
            const bool same = std::equal(own->bytes.begin(), own->bytes.end(), tensor.bytes.begin(),
                                         tensor.bytes.end());
            // Exponential functions differ in the last digits.
            const bool decay = tensor.name.ends_with("ssm_a") && own->dtype == DType::F32;
            EXPECT_TRUE(same || (decay && test::maxDifference(floatsOf(own->bytes),
                                                              floatsOf(tensor.bytes)) <= 1e-5))
                << name << ", " << tensor.name;
        }
    }
}

// Folders of older transformers say what is said of rotary embeddings in several places.
TEST(GoldenModels, OlderFoldersBecomeTheSameGguf)
{
    for (const char *name :
         {"llama-linear-rope", "stablelm", "gemma3", "llama3-rope", "gpt-neox"}) {
        const auto folder = test::goldenFolder(name);
        const test::TempDir dir;
        std::filesystem::create_directory(dir / name);
        std::filesystem::copy_file(folder / "model.safetensors", dir / name / "model.safetensors");
        nlohmann::json config = nlohmann::json::parse(std::ifstream(folder / "config.json"));
        nlohmann::json rope = config.at("rope_parameters");
        config.erase("rope_parameters");
        if (rope.contains("full_attention")) {
            config["rope_local_base_freq"] = rope["sliding_attention"]["rope_theta"];
            rope = nlohmann::json(rope["full_attention"]);
        }
        config["rope_theta"] = rope["rope_theta"];
        if (rope.contains("partial_rotary_factor"))
            config["partial_rotary_factor"] = rope["partial_rotary_factor"];
        rope["type"] = rope["rope_type"];
        for (const char *moved : {"rope_theta", "partial_rotary_factor", "rope_type"})
            rope.erase(moved);
        if (rope["type"] != "default")
            config["rope_scaling"] = rope;
        std::ofstream(dir / name / "config.json") << config.dump();
        test::writeGgufOf(folder, dir / "new.gguf");
        // The name of the model is that of its folder.
        test::writeGgufOf(dir / name, dir / "old.gguf");
        EXPECT_EQ(test::readFile(dir / "old.gguf"), test::readFile(dir / "new.gguf")) << name;
    }
}

/// A folder as a model with other kinds of input as well would be stored.
class MultimodalTest : public testing::TestWithParam<std::pair<const char *, test::MultimodalNames>>
{};

TEST_P(MultimodalTest, TheTextModelRuns)
{
    const auto &[name, names] = GetParam();
    const auto folder = test::goldenFolder(name);
    const test::TempDir dir;
    test::writeMultimodal(folder, names, dir / "model");
    const GoldenLogits golden = test::goldenFolderLogits(folder);
    ModelFixture model(dir / "model");
    const auto session = model.session();
    EXPECT_LE(test::maxDifference(test::allLogits(*session, golden.ids), golden.logits), kBound);
    const ModelSummary summary = describeModel(dir / "model");
    EXPECT_EQ(summary.problem.value_or(""), "");
    EXPECT_GT(summary.plan.value().layerWeights.back(), 0u);
}

INSTANTIATE_TEST_SUITE_P(
    Stored, MultimodalTest,
    testing::Values(
        std::pair("gemma3", test::MultimodalNames{"Gemma3ForConditionalGeneration",
                                                  "language_model.model.", "language_model."}),
        std::pair("gemma4", test::MultimodalNames{"Gemma4ForConditionalGeneration",
                                                  "model.language_model.", ""}),
        std::pair("gemma3n", test::MultimodalNames{"Gemma3nForConditionalGeneration",
                                                   "model.language_model.", ""}),
        std::pair("ministral3", test::MultimodalNames{"Mistral3ForConditionalGeneration",
                                                      "model.language_model.", ""}),
        std::pair("llama4", test::MultimodalNames{"Llama4ForConditionalGeneration",
                                                  "language_model.model.", "language_model."})));

TEST(GoldenModels, OtherTextModelsAreRefusedByName)
{
    const test::TempDir dir;
    const auto folder = test::goldenFolder("qwen3");
    test::writeMultimodal(folder, {"PaliGemmaForConditionalGeneration", "model.", ""},
                          dir / "model");
    const std::string problem = describeModel(dir / "model").problem.value_or("");
    EXPECT_NE(problem.find("PaliGemmaForConditionalGeneration"), std::string::npos) << problem;
}

// The lists of names leave none out.
TEST(GoldenModels, EveryFolderRuns)
{
    std::vector<std::string> run = test::goldenFolderNames();
    const std::vector<std::string> encoders = test::goldenEncoderNames();
    run.insert(run.end(), encoders.begin(), encoders.end());
    std::size_t looked = 0;
    for (const auto &entry :
         std::filesystem::directory_iterator(test::testData() / "golden/models")) {
        const std::string name = entry.path().filename().string();
        EXPECT_NE(std::find(run.begin(), run.end(), name), run.end()) << name;
        EXPECT_EQ(describeModel(test::goldenFolder(name)).problem.value_or(""), "") << name;
        ++looked;
    }
    EXPECT_EQ(looked, run.size());
}

} // namespace
} // namespace fireside
