#include "app/bench/synthetic_model.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/tensor/blocks.h"
#include "engine/tensor/half.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <random>
#include <unistd.h>
#include <vector>

namespace fireside {
namespace {

struct ShapeInfo
{
    const char *name;
    int layers, hidden, heads, kvHeads, headDim, ffn, vocabulary;
    bool tied;
    struct
    {
        int used, count, ffn;
    } experts{}; // count 0: no mixture
    const char *architecture() const { return experts.count > 0 ? "qwen3moe" : "llama"; }
};
constexpr std::array kShapes{
    ShapeInfo{"tiny", 4, 256, 8, 4, 32, 768, 2048, true},
    ShapeInfo{"stories-110m", 12, 768, 12, 12, 64, 2048, 32000, true},
    ShapeInfo{"llama-3.2-1b", 16, 2048, 32, 8, 64, 8192, 128256, true},
    ShapeInfo{"llama-3.2-3b", 28, 3072, 24, 8, 128, 8192, 128256, true},
    ShapeInfo{"llama-3.1-8b", 32, 4096, 32, 8, 128, 14336, 128256, false},
    ShapeInfo{"llama-3.3-70b", 80, 8192, 64, 8, 128, 28672, 128256, false},
    ShapeInfo{"moe-tiny", 4, 256, 8, 4, 32, 768, 2048, false, {4, 16, 256}},
    ShapeInfo{"qwen3-30b-a3b", 48, 2048, 32, 4, 128, 6144, 151936, false, {8, 128, 768}},
};

constexpr float kSpread = 0.02f; // of the weights
constexpr const char *kMix = "q4_k_m";

std::string joined(std::string list, const std::string &name)
{
    return list.empty() ? name : std::move(list) + ", " + name;
}

std::optional<DType> typeNamed(std::string_view name)
{
    for (const DType type : kWeightTypes)
        if (name == lowerName(type))
            return type;
    return std::nullopt;
}

/// Mean and root mean square of the values of blocks of one type.
struct Statistics
{
    float mean = 0, size = 0;
    Statistics(DType type, const std::vector<char> &blocks)
    {
        std::vector<float> values(blocks.size() / info(type).blockBytes * info(type).blockElements);
        dequantizeRow(type, reinterpret_cast<const std::byte *>(blocks.data()), values.data(),
                      values.size());
        double sum = 0, squares = 0;
        for (const float value : values) {
            sum += static_cast<double>(value);
            squares += static_cast<double>(value) * static_cast<double>(value);
        }
        mean = static_cast<float>(sum / static_cast<double>(values.size()));
        size = static_cast<float>(std::sqrt(squares / static_cast<double>(values.size())));
    }
};

/// Random blocks of one type, long enough that repeats do not matter to a cache, that hold values
/// of about kSpread.
std::vector<char> randomBlocks(DType type, std::mt19937 &random)
{
    const DTypeInfo &layout = info(type);
    if (layout.blockElements == 1) {
        std::vector<char> bytes((std::size_t{1} << 20) * layout.blockBytes);
        std::normal_distribution<float> normal(0, kSpread);
        for (std::size_t at = 0; at < bytes.size(); at += layout.blockBytes) {
            const float value = normal(random);
            const std::uint16_t half =
                type == DType::F16
                    ? floatToHalf(value)
                    : static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16);
            if (type == DType::F32)
                std::memcpy(&bytes[at], &value, 4);
            else
                std::memcpy(&bytes[at], &half, 2);
        }
        return bytes;
    }
    std::vector<char> bytes((std::size_t{1} << 15) * layout.blockBytes);
    for (char &byte : bytes)
        byte = static_cast<char>(random());
    const BlockFactors factors = factorsOf(type);
    const auto set = [&](float scale, float minimum, float spread) {
        std::uniform_real_distribution<float> around(1 - spread, 1 + spread);
        for (std::size_t at = 0; at < bytes.size(); at += layout.blockBytes) {
            auto *block = reinterpret_cast<std::byte *>(&bytes[at]);
            factors.scale.set(block, scale * around(random));
            factors.minimum.set(block, minimum * around(random));
        }
        return Statistics(type, bytes);
    };
    // The minimum that makes up for the mean of all else, then the scale.
    const float mean = set(1, 0, 0).mean;
    const float minimum = mean / (mean - set(1, 1, 0).mean);
    const float scale = kSpread / set(1, std::isfinite(minimum) ? minimum : 0, 0).size;
    set(scale, scale * minimum, 0.2f);
    return bytes;
}

/// Writes the little that the GGUF format needs;
/// https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
class Writer
{
public:
    explicit Writer(const std::filesystem::path &path)
        : m_file(path, std::ios::binary)
        , m_path(path)
    {}
    template <typename T>
    void put(T value)
    {
        m_file.write(reinterpret_cast<const char *>(&value), sizeof value);
    }
    void text(std::string_view s)
    {
        put<std::uint64_t>(s.size());
        m_file.write(s.data(), static_cast<std::streamsize>(s.size()));
    }
    void key(std::string_view name, std::uint32_t value)
    {
        text(name), put(std::uint32_t{4}), put(value), ++keys;
    }
    void key(std::string_view name, float value)
    {
        text(name), put(std::uint32_t{6}), put(value), ++keys;
    }
    void key(std::string_view name, std::string_view value)
    {
        text(name), put(std::uint32_t{8}), text(value), ++keys;
    }
    void array(std::string_view name, std::uint32_t elementType, std::uint64_t count)
    {
        text(name), put(std::uint32_t{9}), put(elementType), put(count), ++keys;
    }
    void write(const char *data, std::size_t size)
    {
        m_file.write(data, static_cast<std::streamsize>(size));
    }
    void pad(std::size_t alignment)
    {
        while (static_cast<std::size_t>(m_file.tellp()) % alignment)
            m_file.put('\0');
    }
    void at(std::streamoff position) { m_file.seekp(position); }
    void toEnd() { m_file.seekp(0, std::ios::end); }
    void close()
    {
        m_file.close();
        if (!m_file)
            throw Error(ErrorKind::Io, "cannot write " + m_path.string() + " (is the disk full?)");
    }
    std::uint64_t keys = 0;

private:
    std::ofstream m_file;
    std::filesystem::path m_path;
};

struct TensorInfo
{
    std::string name;
    int rows, cols;
    DType type;
    int depth = 1;
    std::size_t bytes() const
    {
        return rowBytes(type, static_cast<std::size_t>(cols)) * static_cast<std::size_t>(rows) *
               static_cast<std::size_t>(depth);
    }
};

/// The mix that files labelled Q4_K_M have: 6 bits for the embedding and for half of the value and
/// down matrices.
DType typeOf(const std::string &name, int layer, int layers, std::optional<DType> uniform)
{
    if (uniform)
        return *uniform;
    if (layer < 0)
        return DType::Q6_K;
    const bool more =
        layer < layers / 8 || layer >= 7 * layers / 8 || (layer - layers / 8) % 3 == 2;
    const bool sensitive = name == "attn_v" || name == "ffn_down" || name == "ffn_down_exps";
    return more && sensitive ? DType::Q6_K : DType::Q4_K;
}

std::vector<TensorInfo> tensorsOf(const ShapeInfo &s, std::optional<DType> uniform)
{
    const int q = s.heads * s.headDim, kv = s.kvHeads * s.headDim;
    std::vector<TensorInfo> all{
        {"token_embd.weight", s.vocabulary, s.hidden, typeOf("", -1, 0, uniform)}};
    for (int i = 0; i < s.layers; ++i) {
        const auto add = [&](const std::string &name, int rows, int cols, bool plain = false,
                             int depth = 1) {
            all.push_back({"blk." + std::to_string(i) + '.' + name + ".weight", rows, cols,
                           plain ? DType::F32 : typeOf(name, i, s.layers, uniform), depth});
        };
        add("attn_norm", 1, s.hidden, true);
        add("attn_q", q, s.hidden);
        add("attn_k", kv, s.hidden);
        add("attn_v", kv, s.hidden);
        add("attn_output", s.hidden, q);
        add("ffn_norm", 1, s.hidden, true);
        if (const auto &e = s.experts; e.count > 0) {
            add("attn_q_norm", 1, s.headDim, true);
            add("attn_k_norm", 1, s.headDim, true);
            add("ffn_gate_inp", e.count, s.hidden, true);
            add("ffn_gate_exps", e.ffn, s.hidden, false, e.count);
            add("ffn_up_exps", e.ffn, s.hidden, false, e.count);
            add("ffn_down_exps", s.hidden, e.ffn, false, e.count);
            continue;
        }
        add("ffn_gate", s.ffn, s.hidden);
        add("ffn_up", s.ffn, s.hidden);
        add("ffn_down", s.hidden, s.ffn);
    }
    all.push_back({"output_norm.weight", 1, s.hidden, DType::F32});
    if (!s.tied)
        all.push_back({"output.weight", s.vocabulary, s.hidden, typeOf("", -1, 0, uniform)});
    return all;
}

void writeMetadata(Writer &w, const ShapeInfo &s, const std::string &label, bool mix)
{
    const std::string prefix = s.architecture() + std::string(".");
    w.key("general.architecture", s.architecture());
    w.key("general.name", label);
    if (mix)
        w.key("general.file_type", std::uint32_t{15}); // Q4_K_M
    const auto number = [&](const char *key, int value) {
        w.key(prefix + key, static_cast<std::uint32_t>(value));
    };
    number("block_count", s.layers);
    number("context_length", 131072);
    number("embedding_length", s.hidden);
    number("feed_forward_length", s.ffn);
    number("attention.head_count", s.heads);
    number("attention.head_count_kv", s.kvHeads);
    number("attention.key_length", s.headDim);
    number("attention.value_length", s.headDim);
    number("rope.dimension_count", s.headDim);
    if (s.experts.count > 0) {
        number("expert_used_count", s.experts.used);
        number("expert_count", s.experts.count);
        number("expert_feed_forward_length", s.experts.ffn);
    }
    w.key(prefix + "attention.layer_norm_rms_epsilon", 1e-5f);
    w.key(prefix + "rope.freq_base", 500000.0f);
    w.key("tokenizer.ggml.model", "gpt2");
    w.key("tokenizer.ggml.pre", "llama-bpe");
    w.key("tokenizer.ggml.eos_token_id", static_cast<std::uint32_t>(s.vocabulary - 1));
    w.array("tokenizer.ggml.tokens", 8, static_cast<std::uint64_t>(s.vocabulary));
    for (int i = 0; i < s.vocabulary; ++i)
        w.text(i < 94    ? std::string(1, static_cast<char>('!' + i))
               : i == 94 ? "fi"
                         : "fill" + std::to_string(i));
    w.array("tokenizer.ggml.token_type", 5, static_cast<std::uint64_t>(s.vocabulary));
    for (int i = 0; i < s.vocabulary; ++i)
        w.put(std::int32_t{i + 1 == s.vocabulary ? 3 : 1});
    w.array("tokenizer.ggml.merges", 8, 1);
    w.text("f i");
}

} // namespace

std::string SyntheticModel::knownShapes()
{
    std::string list;
    for (const ShapeInfo &shape : kShapes)
        list = joined(std::move(list), shape.name);
    return list;
}
std::string SyntheticModel::knownTypes()
{
    std::string list;
    for (const DType type : kWeightTypes)
        list = joined(std::move(list), lowerName(type));
    return joined(std::move(list), kMix);
}

SyntheticModel::SyntheticModel(std::string_view shapeName, std::string_view typeName)
{
    const auto shape = std::find_if(kShapes.begin(), kShapes.end(),
                                    [&](const ShapeInfo &s) { return shapeName == s.name; });
    if (shape == kShapes.end())
        throwBadInput("unknown shape " + fireside::quoted(shapeName) + " (known: " + knownShapes() +
                      ')');
    const std::optional<DType> uniform = typeNamed(typeName);
    if (!uniform && typeName != kMix)
        throwBadInput("unknown type " + fireside::quoted(typeName) + " (known: " + knownTypes() +
                      ')');

    const std::string label = std::string(shapeName) + '-' + std::string(typeName);
    m_path = std::filesystem::temp_directory_path() /
             ("fireside-bench-" + std::to_string(getpid()) + '-' + label + ".gguf");
    const std::vector<TensorInfo> tensors = tensorsOf(*shape, uniform);
    std::mt19937 random(1);
    try {
        Writer w(m_path);
        w.put(std::array{'G', 'G', 'U', 'F'});
        w.put(std::uint32_t{3});
        w.put<std::uint64_t>(tensors.size());
        w.put(std::uint64_t{0}); // number of keys, written last
        writeMetadata(w, *shape, "random " + label, !uniform);
        std::uint64_t offset = 0;
        for (const TensorInfo &t : tensors) {
            w.text(t.name);
            w.put(std::uint32_t{t.depth > 1 ? 3u : t.rows > 1 ? 2u : 1u});
            w.put<std::uint64_t>(static_cast<std::uint64_t>(t.cols));
            if (t.rows > 1)
                w.put<std::uint64_t>(static_cast<std::uint64_t>(t.rows));
            if (t.depth > 1)
                w.put<std::uint64_t>(static_cast<std::uint64_t>(t.depth));
            w.put(info(t.type).ggmlId);
            w.put(offset);
            offset += (t.bytes() + 31) / 32 * 32;
        }
        w.pad(32);
        std::map<DType, std::vector<char>> pools;
        for (const TensorInfo &t : tensors) {
            std::vector<char> &pool = pools[t.type];
            if (pool.empty())
                pool = randomBlocks(t.type, random);
            const std::size_t block = info(t.type).blockBytes;
            std::size_t start =
                random() % (pool.size() / block) * block; // each tensor starts elsewhere
            for (std::size_t left = t.bytes(); left > 0; start = 0) {
                const std::size_t part = std::min(left, pool.size() - start);
                w.write(pool.data() + start, part);
                left -= part;
            }
            w.pad(32);
        }
        w.at(16);
        w.put(w.keys);
        w.close();
    } catch (...) {
        std::error_code ignored;
        std::filesystem::remove(m_path, ignored);
        throw;
    }
}

SyntheticModel::~SyntheticModel()
{
    std::error_code ignored;
    std::filesystem::remove(m_path, ignored);
}

} // namespace fireside
