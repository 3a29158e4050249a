#include "tests/support/golden.h"

#include "engine/tensor/dtype.h"
#include "engine/tensor/half.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/golden_recipe.h"
#include "tests/support/golden_types.h"
#include "tests/support/temp_dir.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

// tests/data/golden/gguf/NAME.logits: "FSLOGITS", u32 tokens T, u32 vocab V, T × i32 ids, T × V ×
// f16. tests/data/golden/models/NAME/golden.logits: "FSGOLDEN", u32 T, V, greedy tokens G, T × i32
// ids, G × i32, T × V × f32.
namespace fireside::test {
namespace {

std::filesystem::path ggufFolder()
{
    return testData() / "golden/gguf";
}

/// A file of the full set beside the project.
std::optional<std::filesystem::path> fullGolden(const std::string &file)
{
    const auto path = std::filesystem::path(FIRESIDE_SHARED_DATA) / "golden/gguf-sharp" / file;
    return std::filesystem::exists(path) ? std::optional(path) : std::nullopt;
}

GoldenLogits readLogits(const std::filesystem::path &path, bool withGreedy)
{
    std::ifstream in(path, std::ios::binary);
    char magic[8] = {};
    std::uint32_t counts[3] = {};
    in.read(magic, sizeof magic);
    in.read(reinterpret_cast<char *>(counts), withGreedy ? 12 : 8);
    if (!in || std::memcmp(magic, withGreedy ? "FSGOLDEN" : "FSLOGITS", sizeof magic) != 0)
        throw std::runtime_error("no golden logits in " + path.string());
    GoldenLogits golden;
    golden.vocab = counts[1];
    const auto fill = [&](auto &values, std::size_t count) {
        values.resize(count);
        in.read(reinterpret_cast<char *>(values.data()), static_cast<std::streamsize>(count * 4));
    };
    fill(golden.ids, counts[0]);
    fill(golden.greedy, counts[2]);
    const std::size_t values = std::size_t{counts[0]} * counts[1];
    if (withGreedy) {
        fill(golden.logits, values);
    } else {
        std::vector<std::uint16_t> halves(values);
        in.read(reinterpret_cast<char *>(halves.data()), static_cast<std::streamsize>(values * 2));
        std::transform(halves.begin(), halves.end(), std::back_inserter(golden.logits),
                       halfToFloat);
    }
    if (!in || in.peek() != std::ifstream::traits_type::eof())
        throw std::runtime_error("wrong size of " + path.string());
    return golden;
}

/// The full set keeps its numbers as JSON.
GoldenLogits readJsonLogits(const std::filesystem::path &path)
{
    std::ifstream in(path);
    const nlohmann::json json = nlohmann::json::parse(in);
    GoldenLogits golden;
    json.at("input_ids").get_to(golden.ids);
    if (json.contains("greedy"))
        json.at("greedy").get_to(golden.greedy);
    for (const auto &row : json.at(json.contains("logits_exact") ? "logits_exact" : "logits")) {
        golden.vocab = static_cast<std::int64_t>(row.size());
        for (const auto &value : row)
            golden.logits.push_back(value.get<float>());
    }
    return golden;
}

} // namespace

std::filesystem::path testData()
{
    const char *const elsewhere = std::getenv("FIRESIDE_TEST_DATA");
    return elsewhere != nullptr ? elsewhere : FIRESIDE_TEST_DATA;
}

std::filesystem::path goldenGguf(const std::string &name)
{
    const std::filesystem::path stored = ggufFolder() / (name + ".gguf");
    if (std::filesystem::exists(stored))
        return stored;
    const std::vector<std::string> derived = derivedGoldenTypes();
    const auto full = fullGolden(name + ".gguf");
    if (full && std::find(derived.begin(), derived.end(), name) == derived.end())
        return *full;
    static const TempDir made;
    const std::filesystem::path path = made / (name + ".gguf");
    if (!std::filesystem::exists(path))
        writeFile(path, goldenAs(name, readFile(ggufFolder() / "llama.header")));
    return path;
}

GoldenLogits goldenLogits(const std::string &name)
{
    const auto stored = ggufFolder() / ((name == "f32" ? "f16" : name) + ".logits");
    const auto full = fullGolden(name + ".json");
    return full && !std::filesystem::exists(stored) ? readJsonLogits(*full)
                                                    : readLogits(stored, false);
}

std::filesystem::path goldenFolder(const std::string &name)
{
    const std::filesystem::path folder = testData() / "golden/models" / name;
    if (!std::filesystem::exists(folder / "config.json"))
        throw std::runtime_error("no golden model " + folder.string());
    makeGoldenWeights(folder);
    return folder;
}

GoldenLogits goldenFolderLogits(const std::filesystem::path &folder)
{
    const std::filesystem::path binary = folder / "golden.logits";
    return std::filesystem::exists(binary) ? readLogits(binary, true)
                                           : readJsonLogits(folder / "golden.json");
}

std::vector<std::string> goldenFolderNames()
{
    return {"qwen3",
            "qwen3-moe",
            "mamba",
            "mamba2",
            "gemma4",
            "minicpm3",
            "qwen3.5",
            "afmoe",
            "apertus",
            "arcee",
            "bitnet",
            "bloom",
            "cohere",
            "cohere2",
            "deepseek-v2",
            "deepseek-v3",
            "dots1",
            "ernie4.5",
            "ernie4.5-moe",
            "exaone-moe",
            "exaone4",
            "falcon",
            "falcon-h1",
            "falcon-old",
            "gemma",
            "gemma2",
            "gemma3",
            "gemma3n",
            "gemma4-moe",
            "glm4",
            "glm4-moe",
            "glm4-moe-lite",
            "gpt-bigcode",
            "gpt-neox",
            "gpt-oss",
            "gpt2",
            "granite",
            "granite-hybrid",
            "granite-hybrid-moe",
            "granite-moe",
            "hunyuan-dense",
            "hunyuan-moe",
            "hy-v3",
            "jamba",
            "kimi-linear",
            "lfm2",
            "lfm2-moe",
            "llama",
            "llama-attn-bias",
            "llama-linear-rope",
            "llama-yarn",
            "llama3-rope",
            "llama4",
            "minimax-m2",
            "ministral3",
            "mistral-swa",
            "mixtral",
            "mpt",
            "nanochat",
            "nemotron",
            "nemotron-h",
            "olmo-hybrid",
            "olmo2",
            "olmo3",
            "olmoe",
            "opt",
            "phi-partial-rotary",
            "phi3",
            "phimoe",
            "qwen2",
            "qwen2-moe",
            "qwen3-next",
            "qwen3.5-moe",
            "seed-oss",
            "smollm3",
            "stablelm",
            "starcoder2"};
}

std::vector<std::string> goldenEncoderNames()
{
    return {"bert",
            "mpnet",
            "embedding-gemma",
            "roberta",
            "distilbert",
            "xlm-roberta",
            "nomic-bert",
            "modernbert",
            "eurobert",
            "reranker-modernbert",
            "reranker-xlm-roberta"};
}

std::vector<GoldenSequence> goldenSequences(const std::filesystem::path &folder)
{
    std::ifstream in(folder / "golden.json");
    const nlohmann::json json = nlohmann::json::parse(in);
    std::vector<GoldenSequence> sequences;
    for (const auto &each : json.at("sequences")) {
        GoldenSequence &s = sequences.emplace_back();
        each.at("input_ids").get_to(s.ids);
        if (each.contains("score")) {
            s.score = each.at("score").get<float>();
            continue;
        }
        for (const auto &row : each.at("last_hidden_state"))
            for (const auto &value : row)
                s.rows.push_back(value.get<float>());
        each.at("mean").get_to(s.mean);
        each.at("cls").get_to(s.first);
    }
    return sequences;
}

std::vector<std::string> goldenGgufNames()
{
    std::vector<std::string> names = derivedGoldenTypes();
    for (const DType type : kWeightTypes) {
        const std::string name = lowerName(type);
        if (std::filesystem::exists(ggufFolder() / (name + ".gguf")) ||
            (std::find(names.begin(), names.end(), name) == names.end() &&
             fullGolden(name + ".gguf")))
            names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
}

double maxDifference(std::span<const float> a, std::span<const float> b)
{
    double worst = a.size() == b.size() ? 0 : std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        const double difference = std::abs(double{a[i]} - double{b[i]});
        worst = difference <= worst ? worst : difference;
        if (std::isnan(difference))
            return std::numeric_limits<double>::infinity();
    }
    return worst;
}

double cosineSimilarity(std::span<const float> a, std::span<const float> b)
{
    if (a.size() != b.size())
        throw std::invalid_argument("cosineSimilarity: sizes differ");
    double dot = 0, aa = 0, bb = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        dot += double{a[i]} * b[i];
        aa += double{a[i]} * a[i];
        bb += double{b[i]} * b[i];
    }
    return dot / std::sqrt(aa * bb);
}

} // namespace fireside::test
