#include "app/bench/synthetic_model.h"

#include "app/bench/shapes.h"
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
    void key(std::string_view name, bool value)
    {
        text(name), put(std::uint32_t{7}), put(std::uint8_t{value}), ++keys;
    }
    void key(std::string_view name, const std::vector<std::uint32_t> &values)
    {
        array(name, 4, values.size());
        for (const std::uint32_t value : values)
            put(value);
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

struct TensorInfo : ShapeTensor
{
    DType type = DType::F32;
    std::size_t bytes() const
    {
        return rowBytes(type, static_cast<std::size_t>(cols)) * static_cast<std::size_t>(rows) *
               static_cast<std::size_t>(depth);
    }
    int rank() const { return depth > 1 ? 3 : rows > 1 ? 2 : 1; }
};

/// The mix that files labelled Q4_K_M have: 6 bits for the embedding and for half of the value and
/// down matrices; where rows do not divide into blocks, one of smaller blocks.
DType mixedType(const ShapeTensor &t, int layers, const std::string &architecture)
{
    const bool experts = t.name.find("_exps.") != std::string::npos;
    if (architecture == "gpt-oss")
        return experts ? DType::MXFP4 : DType::Q8_0;
    if (t.cols % 256 != 0)
        return t.cols % 32 == 0 ? DType::Q8_0 : DType::F16;
    if (!t.name.starts_with("blk."))
        return DType::Q6_K;
    const int layer = std::stoi(t.name.substr(4));
    const bool more =
        layer < layers / 8 || layer >= 7 * layers / 8 || (layer - layers / 8) % 3 == 2;
    const bool sensitive = t.name.find(".attn_v.") != std::string::npos ||
                           t.name.find(".ffn_down") != std::string::npos;
    return more && sensitive ? DType::Q6_K : DType::Q4_K;
}

std::vector<TensorInfo> tensorsOf(const Shape &shape, std::optional<DType> uniform)
{
    std::vector<TensorInfo> all;
    for (const ShapeTensor &t : shape.tensors) {
        TensorInfo &tensor = all.emplace_back(TensorInfo{t});
        if (t.plain)
            continue;
        const bool divides =
            uniform && static_cast<std::size_t>(t.cols) % info(*uniform).blockElements == 0;
        tensor.type = divides ? *uniform : mixedType(t, shape.layers, shape.architecture);
    }
    return all;
}

void writeMetadata(Writer &w, const Shape &s, const std::string &label, bool mix)
{
    const std::string prefix = s.architecture + '.';
    w.key("general.architecture", std::string_view(s.architecture));
    w.key("general.name", std::string_view(label));
    if (mix)
        w.key("general.file_type", std::uint32_t{15}); // Q4_K_M
    for (const auto &[name, value] : s.keys)
        std::visit([&](const auto &v) { w.key(prefix + name, v); }, value);
    if (s.architecture == "bert")
        w.key("tokenizer.ggml.token_type_count", std::uint32_t{2});
    w.key("tokenizer.ggml.model", std::string_view("gpt2"));
    w.key("tokenizer.ggml.pre", std::string_view("llama-bpe"));
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

/// Every tensor begins at another place of the random blocks of its type.
void writeWeights(Writer &w, const std::vector<TensorInfo> &tensors)
{
    std::mt19937 random(1);
    std::map<DType, std::vector<char>> pools;
    for (const TensorInfo &t : tensors) {
        std::vector<char> &pool = pools[t.type];
        if (pool.empty())
            pool = randomBlocks(t.type, random);
        if (t.constant != 0) {
            for (std::size_t i = 0; i < t.bytes() / sizeof(float); ++i)
                w.put(t.constant);
            w.pad(32);
            continue;
        }
        const std::size_t block = info(t.type).blockBytes;
        std::size_t start = random() % (pool.size() / block) * block;
        for (std::size_t left = t.bytes(); left > 0; start = 0) {
            const std::size_t part = std::min(left, pool.size() - start);
            w.write(pool.data() + start, part);
            left -= part;
        }
        w.pad(32);
    }
}

} // namespace

std::string SyntheticModel::knownTypes()
{
    std::string list;
    for (const DType type : kWeightTypes)
        list = joined(std::move(list), lowerName(type));
    return joined(std::move(list), kMix);
}

SyntheticModel::SyntheticModel(std::string_view shapeName, std::string_view typeName,
                               const std::filesystem::path &keep)
    : m_keep(!keep.empty())
{
    const Shape shape = shapeNamed(shapeName);
    const std::optional<DType> uniform = typeNamed(typeName);
    if (!uniform && typeName != kMix)
        throwBadInput("unknown type " + fireside::quoted(typeName) + " (known: " + knownTypes() +
                      ')');

    const std::string label = std::string(shapeName) + '-' + std::string(typeName);
    m_path = m_keep ? keep
                    : std::filesystem::temp_directory_path() /
                          ("fireside-bench-" + std::to_string(getpid()) + '-' + label + ".gguf");
    try {
        write(shape, uniform, "random " + label);
    } catch (...) {
        std::error_code ignored;
        std::filesystem::remove(m_path, ignored);
        throw;
    }
}

void SyntheticModel::write(const Shape &shape, std::optional<DType> uniform,
                           const std::string &label) const
{
    const std::vector<TensorInfo> tensors = tensorsOf(shape, uniform);
    Writer w(m_path);
    w.put(std::array{'G', 'G', 'U', 'F'});
    w.put(std::uint32_t{3});
    w.put<std::uint64_t>(tensors.size());
    w.put(std::uint64_t{0}); // number of keys, written last
    writeMetadata(w, shape, label, !uniform);
    std::uint64_t offset = 0;
    for (const TensorInfo &t : tensors) {
        w.text(t.name);
        w.put(static_cast<std::uint32_t>(t.rank()));
        const std::array sizes{t.cols, t.rows, t.depth};
        for (int i = 0; i < t.rank(); ++i)
            w.put(static_cast<std::uint64_t>(sizes[static_cast<std::size_t>(i)]));
        w.put(info(t.type).ggmlId);
        w.put(offset);
        offset += (t.bytes() + 31) / 32 * 32;
    }
    w.pad(32);
    writeWeights(w, tensors);
    w.at(16);
    w.put(w.keys);
    w.close();
}

SyntheticModel::~SyntheticModel()
{
    if (m_keep)
        return;
    std::error_code ignored;
    std::filesystem::remove(m_path, ignored);
}

} // namespace fireside
