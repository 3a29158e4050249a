// GGUF files written in other types: they load, compute nearly the same, and are there only whole.
#include "engine/convert/quantize_file.h"
#include "engine/core/error.h"
#include "engine/files/gguf_writer.h"
#include "engine/files/new_file.h"
#include "engine/model/describe.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/golden.h"
#include "tests/support/model_fixture.h"
#include "tests/support/no_space.h"
#include "tests/support/poison.h"
#include "tests/support/split_gguf.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

namespace fireside {
namespace {

namespace fs = std::filesystem;
using test::ModelFixture;

class QuantizeFileTest : public testing::Test
{
protected:
    QuantizeFileRequest request(const char *recipe) const
    {
        return {.source = m_source,
                .target = m_dir / "out.gguf",
                .recipe = findRecipe(recipe),
                .threads = 2};
    }
    std::vector<float> logitsOf(const fs::path &path)
    {
        const ModelFixture model(path);
        return test::allLogits(*model.session(), m_ids);
    }
    /// The error's text; nothing may be left in the folder.
    std::string failureOf(const QuantizeFileRequest &request, const std::stop_token &stop = {})
    {
        std::string text = "no error";
        try {
            quantizeFile(request, {}, stop);
        } catch (const Error &e) {
            text = e.what();
        }
        EXPECT_EQ(files(), m_before);
        return text;
    }
    std::size_t files() const
    {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(m_dir.path()), fs::directory_iterator()));
    }

    const test::TempDir m_dir;
    fs::path m_source = test::goldenGguf("f16");
    std::size_t m_before = 0; // files in the folder
    const std::vector<TokenId> m_ids{300, 17, 401, 44, 5, 99, 12, 250};
};

TEST_F(QuantizeFileTest, EveryRecipeLoadsAndComputesNearlyTheSame)
{
    const std::vector<float> wanted = logitsOf(m_source);
    for (const Recipe &recipe : recipes()) {
        QuantizeFileRequest asked = request(std::string(recipe.name).c_str());
        asked.replace = true;
        const QuantizeFileResult result = quantizeFile(asked);
        EXPECT_EQ(result.bytes, fs::file_size(asked.target));
        const ModelSummary summary = describeModel(asked.target);
        EXPECT_EQ(summary.problem.value_or(""), "");
        EXPECT_EQ(summary.quantisation, recipe.name);
        const double bits = 8.0 * static_cast<double>(info(recipe.type).blockBytes) /
                            info(recipe.type).blockElements;
        // The model's weights were drawn so that roundings count.
        EXPECT_GT(test::cosineSimilarity(logitsOf(asked.target), wanted),
                  1 - std::max(6e-4, 35 * std::pow(4, -bits)))
            << recipe.name;
        EXPECT_EQ(files(), 1u);
    }
}

TEST_F(QuantizeFileTest, KeysAreCopiedAsTheyAre)
{
    quantizeFile(request("Q5_K_M"));
    const Gguf from = Gguf::open(m_source), to = Gguf::open(m_dir / "out.gguf");
    for (std::size_t i = 0; i < from.metadata().size(); ++i) {
        const std::string_view key = from.metadata()[i].first;
        if (key == "general.file_type" || key == "general.quantization_version")
            continue;
        const auto it = std::find_if(to.metadata().begin(), to.metadata().end(),
                                     [&](const auto &entry) { return entry.first == key; });
        ASSERT_NE(it, to.metadata().end()) << key;
        const GgufRawValue &was = from.rawMetadata()[i];
        const GgufRawValue &is =
            to.rawMetadata()[static_cast<std::size_t>(it - to.metadata().begin())];
        EXPECT_EQ(is.type, was.type) << key;
        EXPECT_TRUE(std::ranges::equal(is.bytes, was.bytes)) << key;
    }
    EXPECT_EQ(to.requireUnsigned("general.file_type"), 17u);
    EXPECT_EQ(to.requireUnsigned("general.quantization_version"), 2u);
    for (const GgufTensor &t : from.tensors()) {
        const GgufTensor *made = to.findTensor(t.name);
        ASSERT_NE(made, nullptr) << t.name;
        EXPECT_EQ(made->dims, t.dims) << t.name;
        EXPECT_EQ(made->rank, t.rank) << t.name;
        if (t.rank == 1) {
            EXPECT_TRUE(std::ranges::equal(made->bytes, t.bytes)) << t.name;
        }
    }
}

TEST_F(QuantizeFileTest, TheSameBytesWithAnyNumberOfThreads)
{
    QuantizeFileRequest asked = request("Q4_K_M");
    quantizeFile(asked);
    const std::vector<std::byte> first = test::readFile(asked.target);
    asked.threads = 1;
    asked.replace = true;
    quantizeFile(asked);
    EXPECT_EQ(test::readFile(asked.target), first);
}

TEST_F(QuantizeFileTest, QuantisedWeightsAreTakenOnlyWhenAsked)
{
    m_source = test::goldenGguf("q8_0");
    EXPECT_NE(failureOf(request("Q4_K_M")).find("is quantised already (Q8_0)"), std::string::npos);
    QuantizeFileRequest asked = request("Q4_K_M");
    asked.requantize = true;
    quantizeFile(asked);
    EXPECT_GT(test::cosineSimilarity(logitsOf(asked.target), logitsOf(m_source)), 0.93);
    asked = request("Q8_0"); // what is as it should be is only copied
    asked.replace = true;
    quantizeFile(asked);
    EXPECT_EQ(logitsOf(asked.target), logitsOf(m_source));
}

TEST_F(QuantizeFileTest, ATensorThatIsNotFiniteIsNamed)
{
    test::writePoisoned(m_source,
                        {.tensor = "blk.1.ffn_down.weight",
                         .row = 3,
                         .column = 100,
                         .value = std::numeric_limits<float>::quiet_NaN(),
                         .where = {}},
                        m_dir / "poisoned.gguf");
    m_source = m_dir / "poisoned.gguf";
    m_before = 1;
    EXPECT_EQ(failureOf(request("Q4_K_M")),
              m_source.string() + ": tensor 'blk.1.ffn_down.weight' holds NaN or an infinity");
}

TEST_F(QuantizeFileTest, AFileThatExistsStaysUnlessItIsToBeReplaced)
{
    std::ofstream(m_dir / "out.gguf") << "precious";
    m_before = 1;
    EXPECT_NE(failureOf(request("Q8_0")).find("out.gguf exists already"), std::string::npos);
    EXPECT_EQ(fs::file_size(m_dir / "out.gguf"), 8u);
    QuantizeFileRequest asked = request("Q8_0");
    asked.replace = true;
    quantizeFile(asked);
    EXPECT_EQ(files(), 1u);
    EXPECT_EQ(describeModel(m_dir / "out.gguf").quantisation, "Q8_0");
    // The model itself is never replaced.
    asked.source = asked.target;
    asked.recipe = findRecipe("Q4_0");
    EXPECT_NE(failureOf(asked).find("is the model itself"), std::string::npos);
    EXPECT_EQ(describeModel(m_dir / "out.gguf").quantisation, "Q8_0");
}

TEST_F(QuantizeFileTest, AFullDiskLeavesNothing)
{
    const test::NoSpace full(100'000);
    EXPECT_NE(failureOf(request("Q8_0")).find("out.gguf: cannot be written: "), std::string::npos);
}

TEST_F(QuantizeFileTest, AFullDiskLeavesTheFileThatWasThere)
{
    std::ofstream(m_dir / "out.gguf") << "precious";
    m_before = 1;
    QuantizeFileRequest asked = request("Q8_0");
    asked.replace = true;
    const test::NoSpace full(100'000);
    EXPECT_NE(failureOf(asked).find("cannot be written"), std::string::npos);
    EXPECT_EQ(fs::file_size(m_dir / "out.gguf"), 8u);
}

TEST_F(QuantizeFileTest, StoppedInTheMiddleItLeavesNothing)
{
    std::stop_source stop;
    int steps = 0;
    try {
        quantizeFile(
            request("Q8_0"),
            [&](const std::string &, double) {
                if (++steps == 7)
                    stop.request_stop();
            },
            stop.get_token());
        FAIL() << "no error";
    } catch (const Error &e) {
        EXPECT_EQ(e.kind(), ErrorKind::Cancelled);
    }
    EXPECT_EQ(steps, 7);
    EXPECT_EQ(files(), 0u);
}

TEST_F(QuantizeFileTest, PlacesThatCannotBeWritten)
{
    QuantizeFileRequest asked = request("Q8_0");
    asked.target = m_dir / "none" / "out.gguf";
    EXPECT_NE(failureOf(asked).find("cannot be written"), std::string::npos);
    asked.target = m_dir.path();
    EXPECT_NE(failureOf(asked).find("is a folder"), std::string::npos);
}

TEST_F(QuantizeFileTest, ModelsThatCannotRunAreRefused)
{
    test::GgufBuilder other;
    other.string("general.architecture", "t5").tensor("token_embd.weight", DType::F32, {256, 8});
    other.write(m_dir / "t5.gguf");
    m_source = m_dir / "t5.gguf";
    m_before = 1;
    EXPECT_NE(failureOf(request("Q8_0")).find("architecture 't5'"), std::string::npos);
    std::ofstream(m_dir / "t5.gguf") << "GGUF";
    EXPECT_NE(failureOf(request("Q8_0")), "no error");
}

TEST_F(QuantizeFileTest, PartsBecomeOneFile)
{
    QuantizeFileRequest asked = request("Q8_0");
    quantizeFile(asked);
    const std::vector<std::byte> whole = test::readFile(asked.target);
    const std::vector<test::GgufBuilder> parts = test::splitGguf(m_source, 3);
    for (std::size_t p = 0; p < parts.size(); ++p)
        parts[p].write(m_dir / test::splitName("f16", p + 1, parts.size()));
    asked.replace = true;
    for (const std::size_t opened : {1u, 3u}) {
        asked.source = m_dir / test::splitName("f16", opened, parts.size());
        quantizeFile(asked);
        EXPECT_EQ(test::readFile(asked.target), whole) << opened;
    }
    // None of the parts is replaced, and a missing one is named.
    m_before = 4;
    m_source = m_dir / test::splitName("f16", 1, 3);
    asked.source = m_source;
    asked.target = m_dir / test::splitName("f16", 2, 3);
    EXPECT_NE(failureOf(asked).find("is the model itself"), std::string::npos);
    fs::remove(m_dir / test::splitName("f16", 2, 3));
    m_before = 3;
    EXPECT_NE(failureOf(request("Q8_0")).find(test::splitName("f16", 2, 3)), std::string::npos);
}

TEST_F(QuantizeFileTest, FoldersThatCannotRunAreRefused)
{
    const auto folder = test::goldenFolder("qwen3");
    m_source = m_dir / "folder";
    m_before = 1;
    fs::create_directory(m_source);
    fs::copy_file(folder / "model.safetensors", m_source / "model.safetensors");
    const nlohmann::json config = nlohmann::json::parse(std::ifstream(folder / "config.json"));
    const auto with = [&](const char *key, const nlohmann::json &value) {
        nlohmann::json changed = config;
        changed[key] = value;
        std::ofstream(m_source / "config.json") << changed.dump();
        return failureOf(request("Q8_0"));
    };
    EXPECT_NE(with("architectures", {"T5Model"}).find("architecture 'T5Model'"), std::string::npos);
    EXPECT_NE(with("num_attention_heads", 3), "no error");
    EXPECT_NE(with("num_attention_heads", "four"), "no error");
    EXPECT_NE(with("num_key_value_heads", 1).find("k_proj.weight"), std::string::npos);
    EXPECT_NE(with("num_hidden_layers", 9), "no error");
    EXPECT_NE(with("hidden_size", nullptr), "no error");
    fs::resize_file(m_source / "model.safetensors", 100'000);
    EXPECT_NE(with("hidden_size", config.at("hidden_size")).find("model.safetensors"),
              std::string::npos);
}

TEST_F(QuantizeFileTest, OtherAlignmentsAreKept)
{
    // The model once more, on whole 128 bytes.
    const Gguf from = Gguf::open(m_source);
    GgufWriter out(128);
    out.u32("general.alignment", 128);
    for (std::size_t i = 0; i < from.metadata().size(); ++i)
        if (from.metadata()[i].first != "general.alignment")
            out.raw(from.metadata()[i].first, from.rawMetadata()[i]);
    for (const GgufTensor &t : from.tensors())
        out.tensor(t.name, *t.dtype, std::span(t.dims).first(static_cast<std::size_t>(t.rank)));
    {
        NewFile file(m_dir / "wide.gguf", NewFile::Existing::Refuse);
        out.writeHeader(file);
        for (const GgufTensor &t : from.tensors()) {
            file.write(t.bytes);
            out.finishTensor(file);
        }
        EXPECT_EQ(file.size(), out.fileBytes());
        EXPECT_FALSE(fs::exists(m_dir / "wide.gguf"));
        file.keep();
    }
    const std::vector<float> wanted = logitsOf(m_source);
    m_source = m_dir / "wide.gguf";
    EXPECT_EQ(logitsOf(m_source), wanted);
    quantizeFile(request("Q8_0"));
    EXPECT_EQ(Gguf::open(m_dir / "out.gguf").alignment(), 128u);
    EXPECT_GT(test::cosineSimilarity(logitsOf(m_dir / "out.gguf"), wanted), 0.999);
}

} // namespace
} // namespace fireside
