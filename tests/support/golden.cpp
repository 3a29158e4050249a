#include "tests/support/golden.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <stdexcept>

// tests/data/golden/gguf/NAME.logits: "FSLOGITS", u32 tokens T, u32 vocab V, T × i32 ids, T × V ×
// f32.
namespace fireside::test {
namespace {

const std::filesystem::path kFolder = std::filesystem::path(FIRESIDE_TEST_DATA) / "golden/gguf";

} // namespace

std::filesystem::path goldenGguf(const std::string &name)
{
    const std::filesystem::path path = kFolder / (name + ".gguf");
    if (!std::filesystem::exists(path))
        throw std::runtime_error("no golden model " + path.string());
    return path;
}

GoldenLogits goldenLogits(const std::string &name)
{
    const std::filesystem::path path = kFolder / (name + ".logits");
    std::ifstream in(path, std::ios::binary);
    char magic[8] = {};
    std::uint32_t counts[2] = {};
    in.read(magic, sizeof magic);
    in.read(reinterpret_cast<char *>(counts), sizeof counts);
    if (!in || std::memcmp(magic, "FSLOGITS", sizeof magic) != 0)
        throw std::runtime_error("no golden logits in " + path.string());
    GoldenLogits golden;
    golden.vocab = counts[1];
    golden.ids.resize(counts[0]);
    golden.logits.resize(std::size_t{counts[0]} * counts[1]);
    in.read(reinterpret_cast<char *>(golden.ids.data()),
            static_cast<std::streamsize>(golden.ids.size() * sizeof(std::int32_t)));
    in.read(reinterpret_cast<char *>(golden.logits.data()),
            static_cast<std::streamsize>(golden.logits.size() * sizeof(float)));
    if (!in || in.peek() != std::ifstream::traits_type::eof())
        throw std::runtime_error("wrong size of " + path.string());
    return golden;
}

std::vector<std::string> goldenGgufNames()
{
    std::vector<std::string> names;
    for (const auto &entry : std::filesystem::directory_iterator(kFolder))
        if (entry.path().extension() == ".logits")
            names.push_back(entry.path().stem().string());
    std::sort(names.begin(), names.end());
    return names;
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
