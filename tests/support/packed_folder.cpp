#include "tests/support/packed_folder.h"

#include "engine/files/model_file.h"
#include "engine/tensor/blocks.h"
#include "engine/tensor/half.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>

namespace fireside::test {
namespace {

using Layout = PackedKind::Layout;

template <typename T>
std::span<const std::byte> bytesOf(const std::vector<T> &values)
{
    return std::as_bytes(std::span(values));
}

/// Numbers as a folder's type holds them; rounded to it on the way.
class Scales
{
public:
    Scales(std::string type, std::size_t count)
        : m_type(std::move(type))
        , m_values(count)
    {}
    double put(std::size_t at, double value)
    {
        if (m_type == "F16")
            m_values[at] = halfToFloat(floatToHalf(static_cast<float>(value)));
        else if (m_type == "BF16")
            m_values[at] = bf16ToFloat(bf16(static_cast<float>(value)));
        else
            m_values[at] = static_cast<float>(value);
        return m_values[at];
    }
    void add(const std::string &name, const std::vector<std::uint64_t> &shape,
             SafetensorsBuilder &out) const
    {
        std::vector<std::uint16_t> halves;
        for (const float v : m_values)
            halves.push_back(m_type == "F16" ? floatToHalf(v) : bf16(v));
        out.tensor(name, m_type, shape, m_type == "F32" ? bytesOf(m_values) : bytesOf(halves));
    }

private:
    static std::uint16_t bf16(float value)
    {
        std::uint32_t bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
    }
    std::string m_type;
    std::vector<float> m_values;
};

/// Words of 32 bits that codes are put into.
struct Words
{
    std::vector<std::uint32_t> words;
    std::uint64_t rows, cols;
    Words(std::uint64_t r, std::uint64_t c)
        : words(r * c)
        , rows(r)
        , cols(c)
    {}
    void put(std::uint64_t row, std::uint64_t col, unsigned shift, unsigned code)
    {
        words[row * cols + col] |= code << shift;
    }
    void add(const std::string &name, SafetensorsBuilder &out) const
    {
        out.tensor(name, "I32", {rows, cols}, bytesOf(words));
    }
};

constexpr std::array<unsigned, 8> kAwqRows{0, 2, 4, 6, 1, 3, 5, 7}; // the row at each nibble

unsigned awqNibble(std::uint64_t row)
{
    return static_cast<unsigned>(std::find(kAwqRows.begin(), kAwqRows.end(), row % 8) -
                                 kAwqRows.begin());
}

/// Whole numbers, scales and zeros of a matrix.
struct Codes
{
    std::uint64_t rows, cols, groups, groupCols;
    std::vector<std::uint64_t> groupOf; // of each column
    std::vector<unsigned> codes, zeros; // [rows, cols], [rows, groups]
    std::vector<double> scales;         // [rows, groups]
    std::vector<double> meant() const
    {
        std::vector<double> values;
        for (std::uint64_t r = 0; r < rows; ++r)
            for (std::uint64_t c = 0; c < cols; ++c) {
                const std::uint64_t g = r * groups + groupOf[c];
                values.push_back(scales[g] * (static_cast<double>(codes[r * cols + c]) - zeros[g]));
            }
        return values;
    }
};

std::uint64_t groupFor(const PackedKind &kind, std::uint64_t cols)
{
    return kind.groupCols == 0 || cols % kind.groupCols != 0 ? cols : kind.groupCols;
}

/// The group of each column; where they are scattered, one column of each after another.
std::vector<std::uint64_t> groupsOf(const PackedKind &kind, const std::string &layer,
                                    std::uint64_t cols)
{
    constexpr std::array<std::uint64_t, 3> kSteps{11, 13, 17}; // no factors of widths
    std::uint64_t step = 1;
    if (kind.scattered > 0)
        step = kSteps[std::accumulate(layer.begin(), layer.end(), 0u) % kind.scattered];
    std::vector<std::uint64_t> groups;
    for (std::uint64_t i = 0; i < cols; ++i)
        groups.push_back(i * step % cols / groupFor(kind, cols));
    return groups;
}

/// `stored` [groups, rows] for formats that lie by columns, else [rows, groups].
Codes codesOf(const PackedKind &kind, const std::string &layer, std::uint64_t rows,
              std::uint64_t cols, const std::vector<float> &w, Scales &stored, bool byColumns)
{
    Codes c{.rows = rows,
            .cols = cols,
            .groups = 0,
            .groupCols = groupFor(kind, cols),
            .groupOf = groupsOf(kind, layer, cols),
            .codes = {},
            .zeros = {},
            .scales = {}};
    c.groups = cols / c.groupCols;
    const unsigned most = (1u << kind.bits) - 1, middle = 1u << (kind.bits - 1);
    c.codes.resize(rows * cols);
    for (std::uint64_t r = 0; r < rows; ++r)
        for (std::uint64_t g = 0; g < c.groups; ++g) {
            double low = 0, high = 0;
            for (std::uint64_t i = 0; i < cols; ++i)
                if (c.groupOf[i] == g) {
                    low = std::min(low, static_cast<double>(w[r * cols + i]));
                    high = std::max(high, static_cast<double>(w[r * cols + i]));
                }
            const double step =
                kind.zeros ? (high - low) / most : std::max(high / (middle - 1.0), -low / middle);
            const double scale =
                stored.put(byColumns ? g * rows + r : r * c.groups + g, std::max(step, 1e-4));
            // Every zero point comes up somewhere.
            const unsigned zero =
                kind.zeros
                    ? static_cast<unsigned>(std::clamp(std::nearbyint(-low / scale) +
                                                           static_cast<double>((r + g) % 5) - 2.0,
                                                       0.0, static_cast<double>(most)))
                    : middle;
            c.scales.push_back(scale);
            c.zeros.push_back(zero);
            for (std::uint64_t i = 0; i < cols; ++i)
                if (c.groupOf[i] == g)
                    c.codes[r * cols + i] = static_cast<unsigned>(std::clamp(
                        std::nearbyint(static_cast<double>(w[r * cols + i]) / scale) + zero, 0.0,
                        static_cast<double>(most)));
        }
    return c;
}

std::vector<double> addGptq(const PackedKind &kind, const std::string &layer, std::uint64_t rows,
                            std::uint64_t cols, const std::vector<float> &w,
                            SafetensorsBuilder &out)
{
    const std::uint64_t per = 32 / kind.bits, groups = cols / groupFor(kind, cols);
    Scales scales(kind.scaleType, groups * rows);
    const Codes c = codesOf(kind, layer, rows, cols, w, scales, true);
    Words weights(cols / per, rows), zeros(groups, rows / per);
    for (std::uint64_t r = 0; r < rows; ++r) {
        for (std::uint64_t i = 0; i < cols; ++i)
            weights.put(i / per, r, static_cast<unsigned>(i % per) * kind.bits,
                        c.codes[r * cols + i]);
        for (std::uint64_t g = 0; g < groups; ++g)
            zeros.put(g, r / per, static_cast<unsigned>(r % per) * kind.bits,
                      (c.zeros[r * groups + g] - kind.zeroShift) & ((1u << kind.bits) - 1));
    }
    weights.add(layer + ".qweight", out);
    zeros.add(layer + ".qzeros", out);
    scales.add(layer + ".scales", {groups, rows}, out);
    std::vector<std::int32_t> order(c.groupOf.begin(), c.groupOf.end());
    out.tensor(layer + ".g_idx", "I32", {cols}, bytesOf(order));
    return c.meant();
}

std::vector<double> addAwq(const PackedKind &kind, const std::string &layer, std::uint64_t rows,
                           std::uint64_t cols, const std::vector<float> &w, SafetensorsBuilder &out)
{
    const std::uint64_t groups = cols / groupFor(kind, cols);
    Scales scales(kind.scaleType, groups * rows);
    const Codes c = codesOf(kind, layer, rows, cols, w, scales, true);
    Words weights(cols, rows / 8), zeros(groups, rows / 8);
    for (std::uint64_t r = 0; r < rows; ++r) {
        for (std::uint64_t i = 0; i < cols; ++i)
            weights.put(i, r / 8, 4 * awqNibble(r), c.codes[r * cols + i]);
        for (std::uint64_t g = 0; g < groups; ++g)
            zeros.put(g, r / 8, 4 * awqNibble(r), c.zeros[r * groups + g]);
    }
    weights.add(layer + ".qweight", out);
    if (kind.zeros)
        zeros.add(layer + ".qzeros", out);
    scales.add(layer + ".scales", {groups, rows}, out);
    return c.meant();
}

std::vector<double> addWords(const PackedKind &kind, const std::string &layer, std::uint64_t rows,
                             std::uint64_t cols, const std::vector<float> &w,
                             SafetensorsBuilder &out)
{
    const std::uint64_t per = 32 / kind.bits, groups = cols / groupFor(kind, cols);
    Scales scales(kind.scaleType, groups * rows);
    const Codes c = codesOf(kind, layer, rows, cols, w, scales, false);
    Words weights(rows, (cols + per - 1) / per), zeros((rows + per - 1) / per, groups);
    for (std::uint64_t r = 0; r < rows; ++r) {
        for (std::uint64_t i = 0; i < cols; ++i)
            weights.put(r, i / per, static_cast<unsigned>(i % per) * kind.bits,
                        c.codes[r * cols + i]);
        for (std::uint64_t g = 0; g < groups; ++g)
            zeros.put(r / per, g, static_cast<unsigned>(r % per) * kind.bits,
                      c.zeros[r * groups + g]);
    }
    weights.add(layer + ".weight_packed", out);
    if (kind.zeros)
        zeros.add(layer + ".weight_zero_point", out);
    scales.add(layer + ".weight_scale", {rows, groups}, out);
    const std::vector<std::int64_t> shape{static_cast<std::int64_t>(rows),
                                          static_cast<std::int64_t>(cols)};
    out.tensor(layer + ".weight_shape", "I64", {2}, bytesOf(shape));
    if (kind.scattered > 0) {
        std::vector<std::int32_t> order(c.groupOf.begin(), c.groupOf.end());
        out.tensor(layer + ".weight_g_idx", "I32", {cols}, bytesOf(order));
    }
    return c.meant();
}

std::vector<double> addBytes(const PackedKind &kind, const std::string &layer, std::uint64_t rows,
                             std::uint64_t cols, const std::vector<float> &w,
                             SafetensorsBuilder &out)
{
    Scales scales(kind.scaleType, rows);
    const Codes c = codesOf(kind, layer, rows, cols, w, scales, false);
    std::vector<std::int8_t> bytes;
    for (const unsigned code : c.codes)
        bytes.push_back(static_cast<std::int8_t>(static_cast<int>(code) - 128));
    out.tensor(layer + ".weight", "I8", {rows, cols}, bytesOf(bytes));
    scales.add(layer + ".weight_scale", {rows, 1}, out);
    return c.meant();
}

/// The 256 numbers of E4M3 (OCP 8-bit floating point, without infinities).
double e4m3(unsigned code)
{
    const int exponent = static_cast<int>((code / 8) % 16);
    const double fraction = (code % 8) / 8.0;
    const double value =
        exponent == 0 ? fraction * std::pow(2.0, -6) : (1 + fraction) * std::pow(2.0, exponent - 7);
    return code >= 128 ? -value : value;
}

unsigned nearestE4m3(double value)
{
    unsigned high = 0; // the first number that is not smaller
    for (unsigned step = 64; step > 0; step /= 2)
        if (high + step <= 126 && e4m3(high + step - 1) < std::abs(value))
            high += step;
    const unsigned low = high > 0 ? high - 1 : 0;
    const bool lower = std::abs(value) - e4m3(low) < e4m3(high) - std::abs(value);
    return (lower ? low : high) + (value < 0 ? 128 : 0);
}

std::vector<double> addFp8(const PackedKind &kind, const std::string &layer, std::uint64_t rows,
                           std::uint64_t cols, const std::vector<float> &w, SafetensorsBuilder &out)
{
    const std::uint64_t groupRows = kind.groupRows == 0 ? rows : kind.groupRows;
    const std::uint64_t groupCols = kind.groupCols == 0 ? cols : kind.groupCols;
    const std::uint64_t down = (rows + groupRows - 1) / groupRows,
                        across = (cols + groupCols - 1) / groupCols;
    Scales scales(kind.scaleType, down * across);
    std::vector<std::uint8_t> bytes(rows * cols);
    std::vector<double> meant(rows * cols);
    for (std::uint64_t g = 0; g < down * across; ++g) {
        const std::uint64_t r0 = g / across * groupRows, c0 = g % across * groupCols;
        double most = 1e-3;
        const auto each = [&](const auto &body) {
            for (std::uint64_t r = r0; r < std::min(rows, r0 + groupRows); ++r)
                for (std::uint64_t c = c0; c < std::min(cols, c0 + groupCols); ++c)
                    body(r * cols + c);
        };
        each([&](std::size_t i) { most = std::max(most, std::abs(static_cast<double>(w[i]))); });
        const double scale = scales.put(g, most / 448);
        each([&](std::size_t i) {
            bytes[i] = static_cast<std::uint8_t>(nearestE4m3(static_cast<double>(w[i]) / scale));
            meant[i] = scale * e4m3(bytes[i]);
        });
    }
    out.tensor(layer + ".weight", "F8_E4M3", {rows, cols}, bytesOf(bytes));
    const bool whole = down * across == 1;
    scales.add(layer + kind.scaleName,
               whole ? std::vector<std::uint64_t>{1} : std::vector{down, across}, out);
    const std::vector<float> ofActivations{0.25f};
    if (whole)
        out.tensor(layer + ".input_scale", "F32", {1}, bytesOf(ofActivations));
    return meant;
}

std::vector<double> addMxfp4(const std::string &layer, std::uint64_t depth, std::uint64_t rows,
                             std::uint64_t cols, const std::vector<float> &w,
                             SafetensorsBuilder &out)
{
    constexpr std::array<double, 8> kValues{0, 0.5, 1, 1.5, 2, 3, 4, 6};
    std::vector<std::uint8_t> blocks(w.size() / 2), exponents;
    std::vector<double> meant;
    for (std::size_t first = 0; first < w.size(); first += 32) {
        double most = 1e-6;
        for (std::size_t i = first; i < first + 32; ++i)
            most = std::max(most, std::abs(static_cast<double>(w[i])));
        const int exponent = std::ilogb(most) - 2;
        exponents.push_back(static_cast<std::uint8_t>(exponent + 127));
        for (std::size_t i = first; i < first + 32; ++i) {
            const double value = std::abs(static_cast<double>(w[i])) / std::pow(2.0, exponent);
            unsigned code = 0;
            for (unsigned k = 0; k < 8; ++k)
                if (std::abs(kValues[k] - value) < std::abs(kValues[code] - value))
                    code = k;
            const bool negative = w[i] < 0;
            meant.push_back((negative ? -1 : 1) * kValues[code] * std::pow(2.0, exponent));
            blocks[i / 2] = static_cast<std::uint8_t>(blocks[i / 2] | (code + (negative ? 8u : 0u))
                                                                          << (4 * (i % 2)));
        }
    }
    out.tensor(layer + "_blocks", "U8", {depth, rows, cols / 32, 16}, bytesOf(blocks));
    out.tensor(layer + "_scales", "U8", {depth, rows, cols / 32}, bytesOf(exponents));
    return meant;
}

/// Compressed-tensors divides by the factor, ModelOpt multiplies with it.
std::vector<double> addNvfp4(const PackedKind &kind, const std::string &layer, std::uint64_t rows,
                             std::uint64_t cols, const std::vector<float> &w,
                             SafetensorsBuilder &out)
{
    constexpr std::array<double, 8> kValues{0, 0.5, 1, 1.5, 2, 3, 4, 6};
    double most = 1e-6;
    for (const float v : w)
        most = std::max(most, std::abs(static_cast<double>(v)));
    const double wanted = most / (6 * 448);
    const std::vector<float> stored{static_cast<float>(kind.inverseScale ? 1 / wanted : wanted)};
    const double factor =
        kind.inverseScale ? 1 / static_cast<double>(stored[0]) : static_cast<double>(stored[0]);
    std::vector<std::uint8_t> codes(w.size() / 2), scales;
    std::vector<double> meant;
    for (std::size_t first = 0; first < w.size(); first += 16) {
        double largest = 0;
        for (std::size_t i = first; i < first + 16; ++i)
            largest = std::max(largest, std::abs(static_cast<double>(w[i])));
        const unsigned scale = std::max(1u, nearestE4m3(largest / 6 / factor));
        scales.push_back(static_cast<std::uint8_t>(scale));
        const double unit = e4m3(scale) * factor;
        for (std::size_t i = first; i < first + 16; ++i) {
            const double value = std::abs(static_cast<double>(w[i])) / unit;
            unsigned code = 0;
            for (unsigned k = 0; k < 8; ++k)
                if (std::abs(kValues[k] - value) < std::abs(kValues[code] - value))
                    code = k;
            meant.push_back((w[i] < 0 ? -1 : 1) * kValues[code] * unit);
            codes[i / 2] = static_cast<std::uint8_t>(codes[i / 2] | (code + (w[i] < 0 ? 8u : 0u))
                                                                        << (4 * (i % 2)));
        }
    }
    out.tensor(layer + (kind.inverseScale ? ".weight_packed" : ".weight"), "U8", {rows, cols / 2},
               bytesOf(codes));
    out.tensor(layer + ".weight_scale", "F8_E4M3", {rows, cols / 16}, bytesOf(scales));
    const std::vector<std::uint64_t> shape(kind.inverseScale ? 1 : 0, 1);
    out.tensor(layer + (kind.inverseScale ? ".weight_global_scale" : ".weight_scale_2"), "F32",
               shape, bytesOf(stored));
    const std::vector<float> ofActivations{0.25f};
    out.tensor(layer + (kind.inverseScale ? ".input_global_scale" : ".input_scale"), "F32", shape,
               bytesOf(ofActivations));
    return meant;
}

std::vector<double> addTernary(const PackedKind &kind, const std::string &layer, std::uint64_t rows,
                               std::uint64_t cols, const std::vector<float> &w,
                               SafetensorsBuilder &out)
{
    double mean = 0;
    for (const float v : w)
        mean += std::abs(static_cast<double>(v)) / static_cast<double>(w.size());
    Scales scales(kind.scaleType, 1);
    const double stored = scales.put(0, kind.inverseScale ? 1 / mean : mean);
    const double scale = kind.inverseScale ? 1 / stored : stored;
    std::vector<std::uint8_t> bytes(rows / 4 * cols);
    std::vector<double> meant;
    for (std::uint64_t r = 0; r < rows; ++r)
        for (std::uint64_t c = 0; c < cols; ++c) {
            const double value =
                std::clamp(std::nearbyint(static_cast<double>(w[r * cols + c]) / scale), -1.0, 1.0);
            meant.push_back(value * scale);
            std::uint8_t &byte = bytes[r % (rows / 4) * cols + c];
            byte = static_cast<std::uint8_t>(byte | static_cast<unsigned>(value + 1)
                                                        << (2 * (r / (rows / 4))));
        }
    out.tensor(layer + ".weight", "U8", {rows / 4, cols}, bytesOf(bytes));
    scales.add(layer + ".weight_scale", {1}, out);
    return meant;
}

std::vector<float> valuesOf(const ModelTensor &t)
{
    std::vector<float> values(t.elements());
    dequantizeRow(*t.dtype, t.bytes.data(), values.data(), values.size());
    return values;
}

/// [depth, rows, cols] with rows and columns exchanged.
template <typename T>
std::vector<T> transposed(const std::vector<T> &from, std::uint64_t depth, std::uint64_t rows,
                          std::uint64_t cols)
{
    std::vector<T> to(from.size());
    for (std::uint64_t d = 0; d < depth; ++d)
        for (std::uint64_t r = 0; r < rows; ++r)
            for (std::uint64_t c = 0; c < cols; ++c)
                to[(d * cols + c) * rows + r] = from[(d * rows + r) * cols + c];
    return to;
}

void addPlain(const ModelTensor &t, const std::vector<double> &values, SafetensorsBuilder &out)
{
    const std::vector<float> floats(values.begin(), values.end());
    out.tensor(std::string(t.name), "F32", t.shape, bytesOf(floats));
}

} // namespace

std::vector<double> addPacked(const PackedKind &kind, const std::string &layer, std::uint64_t depth,
                              std::uint64_t rows, std::uint64_t cols,
                              const std::vector<float> &weights, SafetensorsBuilder &out)
{
    switch (kind.layout) {
    case Layout::Gptq:
        return addGptq(kind, layer, rows, cols, weights, out);
    case Layout::Awq:
        return addAwq(kind, layer, rows, cols, weights, out);
    case Layout::Words:
        return addWords(kind, layer, rows, cols, weights, out);
    case Layout::Bytes:
        return addBytes(kind, layer, rows, cols, weights, out);
    case Layout::Fp8:
        return addFp8(kind, layer, rows, cols, weights, out);
    case Layout::Mxfp4:
        return addMxfp4(layer, depth, rows, cols, weights, out);
    case Layout::Nvfp4:
        return addNvfp4(kind, layer, rows, cols, weights, out);
    case Layout::Ternary:
        return addTernary(kind, layer, rows, cols, weights, out);
    }
    return {};
}

void writePackedFolder(const PackedKind &kind, const std::filesystem::path &golden,
                       const std::filesystem::path &packed, const std::filesystem::path &plain)
{
    const ModelFile file = ModelFile::open(golden);
    SafetensorsBuilder out, meant;
    for (const ModelTensor &t : file.tensors()) {
        const std::string name(t.name);
        if (kind.layout == Layout::Mxfp4 && t.shape.size() == 3) {
            // config.json's class has them transposed.
            const std::uint64_t depth = t.shape[0], rows = t.shape[2], cols = t.shape[1];
            const std::vector<double> values = addPacked(
                kind, name, depth, rows, cols, transposed(valuesOf(t), depth, cols, rows), out);
            addPlain(t, transposed(values, depth, rows, cols), meant);
        } else if (kind.layout != Layout::Mxfp4 && name.ends_with("_proj.weight") &&
                   t.shape.size() == 2) {
            const std::string layer = name.substr(0, name.rfind('.'));
            addPlain(t, addPacked(kind, layer, 1, t.shape[0], t.shape[1], valuesOf(t), out), meant);
        } else {
            out.tensor(name, t.type, t.shape, t.bytes);
            meant.tensor(name, t.type, t.shape, t.bytes);
        }
    }
    nlohmann::json config = file.folder()->config();
    for (const auto &[folder, tensors] : {std::pair(plain, &meant), std::pair(packed, &out)}) {
        if (folder == packed)
            config["quantization_config"] = nlohmann::json::parse(kind.config);
        std::filesystem::create_directories(folder);
        writeText(folder / "config.json", config.dump());
        tensors->write(folder / "model.safetensors");
    }
}

} // namespace fireside::test
