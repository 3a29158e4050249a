#include "app/bench/synthetic_model.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/tensor/blocks.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/half.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <map>
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

/// A weight type, and how to make a random block of it hold values of about kSpread.
struct TypeInfo
{
    const char *name;
    DType type;
    int fileType;
    struct Scale
    {
        int offset;
        float value;
    }; // halves inside the block
    std::array<Scale, 2> scales;
};
constexpr TypeInfo::Scale kNone{-1, 0};
constexpr std::array kTypes{
    TypeInfo{"f32", DType::F32, 0, {kNone, kNone}},
    TypeInfo{"f16", DType::F16, 1, {kNone, kNone}},
    TypeInfo{"bf16", DType::BF16, 32, {kNone, kNone}},
    TypeInfo{"q4_0", DType::Q4_0, 2, {TypeInfo::Scale{0, kSpread / 4.6f}, kNone}},
    TypeInfo{"q5_0", DType::Q5_0, 8, {TypeInfo::Scale{0, kSpread / 9.2f}, kNone}},
    TypeInfo{"q8_0", DType::Q8_0, 7, {TypeInfo::Scale{0, kSpread / 74.0f}, kNone}},
    TypeInfo{"q4_1",
             DType::Q4_1,
             3,
             {TypeInfo::Scale{0, kSpread / 4.6f}, TypeInfo::Scale{2, -kSpread * 1.6f}}},
    TypeInfo{"q5_1",
             DType::Q5_1,
             9,
             {TypeInfo::Scale{0, kSpread / 9.2f}, TypeInfo::Scale{2, -kSpread * 1.6f}}},
    TypeInfo{"q4_k",
             DType::Q4_K,
             14,
             {TypeInfo::Scale{0, kSpread / 140.0f}, TypeInfo::Scale{2, kSpread / 19.0f}}},
    TypeInfo{"q5_k",
             DType::Q5_K,
             16,
             {TypeInfo::Scale{0, kSpread / 288.0f}, TypeInfo::Scale{2, kSpread / 19.0f}}},
    TypeInfo{"q2_k",
             DType::Q2_K,
             10,
             {TypeInfo::Scale{80, kSpread / 10.0f}, TypeInfo::Scale{82, kSpread / 7.0f}}},
    TypeInfo{"q3_k", DType::Q3_K, 12, {TypeInfo::Scale{108, kSpread / 40.0f}, kNone}},
    TypeInfo{"q6_k", DType::Q6_K, 18, {TypeInfo::Scale{208, kSpread / 592.0f}, kNone}},
    TypeInfo{"iq4_nl", DType::IQ4_NL, 25, {TypeInfo::Scale{0, kSpread / 70.0f}, kNone}},
    TypeInfo{"iq4_xs", DType::IQ4_XS, 30, {TypeInfo::Scale{0, kSpread / 1290.0f}, kNone}},
    TypeInfo{"mxfp4", DType::MXFP4, 38, {kNone, kNone}},
};
constexpr int kMixFileType = 15; // Q4_K_M

template <typename List>
std::string names(const List &list)
{
    std::string text;
    for (const auto &entry : list)
        text += (text.empty() ? "" : ", ") + std::string(entry.name);
    return text;
}

template <typename List>
const auto *find(const List &list, std::string_view name)
{
    for (const auto &entry : list)
        if (name == entry.name)
            return &entry;
    return static_cast<decltype(&list[0])>(nullptr);
}

/// Random blocks of one type, long enough that repeats do not matter to a cache.
std::vector<char> randomBlocks(const TypeInfo &type, std::mt19937 &random)
{
    const DTypeInfo &layout = info(type.type);
    const std::size_t blocks = layout.blockElements == 1 ? 1u << 20 : 1u << 15;
    std::vector<char> bytes(blocks * layout.blockBytes);
    if (layout.blockElements == 1) {
        std::normal_distribution<float> normal(0, kSpread);
        for (std::size_t i = 0; i < blocks; ++i) {
            const float value = normal(random);
            const std::uint16_t half =
                type.type == DType::F16
                    ? floatToHalf(value)
                    : static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16);
            if (type.type == DType::F32)
                std::memcpy(&bytes[i * 4], &value, 4);
            else
                std::memcpy(&bytes[i * 2], &half, 2);
        }
        return bytes;
    }
    for (char &byte : bytes)
        byte = static_cast<char>(random());
    std::uniform_real_distribution<float> around(0.8f, 1.2f);
    for (std::size_t i = 0; i < blocks; ++i) {
        char *block = &bytes[i * layout.blockBytes];
        if (type.type == DType::Q6_K)
            for (std::size_t s = 0; s < 16; ++s)
                block[offsetof(BlockQ6_K, scales) + s] = static_cast<char>(20 + random() % 24);
        if (type.type == DType::MXFP4) // a power of two: 2^(exponent − 128)
            block[0] = static_cast<char>(119 + random() % 3);
        for (const TypeInfo::Scale &scale : type.scales) {
            if (scale.offset < 0)
                continue;
            const Half half = floatToHalf(scale.value * around(random));
            std::memcpy(block + scale.offset, &half, sizeof half);
        }
    }
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
    const TypeInfo *type;
    int depth = 1;
    std::size_t bytes() const
    {
        return rowBytes(type->type, static_cast<std::size_t>(cols)) *
               static_cast<std::size_t>(rows) * static_cast<std::size_t>(depth);
    }
};

/// The mix that files labelled Q4_K_M have: 6 bits for the embedding and for half of the value and
/// down matrices.
const TypeInfo *typeOf(const std::string &name, int layer, int layers, const TypeInfo *uniform)
{
    if (uniform)
        return uniform;
    const TypeInfo *q4 = find(kTypes, "q4_k");
    const TypeInfo *q6 = find(kTypes, "q6_k");
    if (layer < 0)
        return q6;
    const bool more =
        layer < layers / 8 || layer >= 7 * layers / 8 || (layer - layers / 8) % 3 == 2;
    const bool sensitive = name == "attn_v" || name == "ffn_down" || name == "ffn_down_exps";
    return more && sensitive ? q6 : q4;
}

std::vector<TensorInfo> tensorsOf(const ShapeInfo &s, const TypeInfo *uniform)
{
    const TypeInfo *f32 = find(kTypes, "f32");
    const int q = s.heads * s.headDim, kv = s.kvHeads * s.headDim;
    std::vector<TensorInfo> all{
        {"token_embd.weight", s.vocabulary, s.hidden, typeOf("", -1, 0, uniform)}};
    for (int i = 0; i < s.layers; ++i) {
        const auto add = [&](const std::string &name, int rows, int cols, bool plain = false,
                             int depth = 1) {
            all.push_back({"blk." + std::to_string(i) + '.' + name + ".weight", rows, cols,
                           plain ? f32 : typeOf(name, i, s.layers, uniform), depth});
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
    all.push_back({"output_norm.weight", 1, s.hidden, f32});
    if (!s.tied)
        all.push_back({"output.weight", s.vocabulary, s.hidden, typeOf("", -1, 0, uniform)});
    return all;
}

void writeMetadata(Writer &w, const ShapeInfo &s, const std::string &label, int fileType)
{
    const std::string prefix = s.architecture() + std::string(".");
    w.key("general.architecture", s.architecture());
    w.key("general.name", label);
    w.key("general.file_type", static_cast<std::uint32_t>(fileType));
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
    return names(kShapes);
}
std::string SyntheticModel::knownTypes()
{
    return names(kTypes) + ", q4_k_m";
}

SyntheticModel::SyntheticModel(std::string_view shapeName, std::string_view typeName)
{
    const ShapeInfo *shape = find(kShapes, shapeName);
    if (!shape)
        throwBadInput("unknown shape " + fireside::quoted(shapeName) + " (known: " + knownShapes() +
                      ')');
    const TypeInfo *uniform = find(kTypes, typeName);
    if (!uniform && typeName != "q4_k_m")
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
        writeMetadata(w, *shape, "random " + label, uniform ? uniform->fileType : kMixFileType);
        std::uint64_t offset = 0;
        for (const TensorInfo &t : tensors) {
            w.text(t.name);
            w.put(std::uint32_t{t.depth > 1 ? 3u : t.rows > 1 ? 2u : 1u});
            w.put<std::uint64_t>(static_cast<std::uint64_t>(t.cols));
            if (t.rows > 1)
                w.put<std::uint64_t>(static_cast<std::uint64_t>(t.rows));
            if (t.depth > 1)
                w.put<std::uint64_t>(static_cast<std::uint64_t>(t.depth));
            w.put(info(t.type->type).ggmlId);
            w.put(offset);
            offset += (t.bytes() + 31) / 32 * 32;
        }
        w.pad(32);
        std::map<const TypeInfo *, std::vector<char>> pools;
        for (const TensorInfo &t : tensors) {
            std::vector<char> &pool = pools[t.type];
            if (pool.empty())
                pool = randomBlocks(*t.type, random);
            const std::size_t block = info(t.type->type).blockBytes;
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
