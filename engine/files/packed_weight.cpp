#include "engine/files/packed_weight.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/files/column_groups.h"
#include "engine/files/packed_scheme.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <unordered_map>

namespace fireside {
namespace {

using nlohmann::json;
using Tensor = SafetensorsTensor;
using Form = PackedWeight::Form;

bool isScale(const Tensor &t)
{
    return t.dtype == DType::F32 || t.dtype == DType::F16 || t.dtype == DType::BF16;
}

/// Goes through the tensors of a folder and joins those that belong together.
class Finder
{
public:
    Finder(const std::filesystem::path &folder, PackedScheme scheme, PackedWeights &found)
        : m_folder(folder)
        , m_scheme(std::move(scheme))
        , m_found(found)
    {}

    void find(const std::vector<const Tensor *> &tensors)
    {
        m_byName.reserve(tensors.size());
        for (const Tensor *t : tensors)
            m_byName.emplace(t->name, t);
        m_found.problem = m_scheme.problem;
        for (const Tensor *t : tensors)
            if (!m_found.problem)
                look(*t);
    }

private:
    void look(const Tensor &t)
    {
        constexpr std::array<std::string_view, 11> kOfActivations{
            ".input_scale",      ".input_scale_ub",  ".input_zero_point",  ".output_scale",
            ".k_scale",          ".v_scale",         ".q_scale",           ".prob_scale",
            ".activation_scale", ".input_scale_inv", ".input_global_scale"};
        const std::string_view name = t.name;
        const auto endsWith = [&](std::string_view end) { return name.ends_with(end); };
        if (std::any_of(kOfActivations.begin(), kOfActivations.end(), endsWith))
            m_found.parts.insert(&t);
        else if (name.ends_with(".qweight") && m_scheme.method == "awq")
            addAwq(t, base(name, ".qweight"));
        else if (name.ends_with(".qweight") && m_scheme.method == "gptq")
            addGptq(t, base(name, ".qweight"));
        else if (name.ends_with(".weight_packed") && t.type == "U8")
            addNvfp4(t, base(name, ".weight_packed"), ".weight_global_scale", true);
        else if (name.ends_with(".weight") && t.type == "U8" && m_scheme.method == "modelopt")
            addNvfp4(t, base(name, ".weight"), ".weight_scale_2", false);
        else if (name.ends_with(".weight_packed"))
            addWords(t, base(name, ".weight_packed"));
        else if (name.ends_with("_blocks") && m_scheme.method == "mxfp4")
            addMxfp4(t, base(name, "_blocks"));
        else if (name.ends_with(".weight") && t.type == "F8_E4M3")
            addFp8(t, base(name, ".weight"));
        else if (name.ends_with(".weight") && t.type == "I8")
            addBytes(t, base(name, ".weight"));
        else if (name.ends_with(".weight") && t.type == "U8" && m_scheme.method == "bitnet")
            addTernary(t, base(name, ".weight"));
    }

    static std::string base(std::string_view name, std::string_view end)
    {
        return std::string(name.substr(0, name.size() - end.size()));
    }
    const Tensor *optional(const std::string &name) const
    {
        const auto it = m_byName.find(name);
        return it == m_byName.end() ? nullptr : it->second;
    }
    [[noreturn]] void fail(const Tensor &t, const std::string &text) const
    {
        throwBadInput(m_folder.string() + ": tensor " + fireside::quoted(t.name) + text);
    }
    const Tensor &beside(const Tensor &codes, const std::string &name) const
    {
        const Tensor *const t = optional(name);
        if (!t)
            fail(codes, " stands without " + fireside::quoted(name));
        return *t;
    }
    void expect(const Tensor &t, const char *type, const std::vector<std::uint64_t> &shape) const
    {
        const bool ofType = std::string_view(type) == "float" ? isScale(t) : t.type == type;
        if (!ofType || t.shape != shape)
            fail(t, " is " + t.type + ' ' + shapeText(t.shape) + ", expected " + type + ' ' +
                        shapeText(shape));
    }
    /// A matrix of so many dimensions without a zero among them.
    void expectRank(const Tensor &t, const char *type, std::size_t rank) const
    {
        if (t.type != type || t.shape.size() != rank ||
            std::find(t.shape.begin(), t.shape.end(), 0u) != t.shape.end())
            fail(t, " is " + t.type + ' ' + shapeText(t.shape) + ", expected " + type + " of " +
                        std::to_string(rank) + " dimensions");
    }
    void refuse(const std::string &what, const Tensor &t)
    {
        if (!m_found.problem)
            m_found.problem = what + " (tensor " + fireside::quoted(t.name) + ')';
    }

    void keep(PackedWeight w)
    {
        for (const Tensor *part : {w.codes, w.scales, w.zeros, w.factor, w.order})
            if (part)
                m_found.parts.insert(part);
        m_found.weights.push_back(std::move(w));
    }

    /// Codes around the middle lie in blocks of 32 as they are; others need a bit more.
    void chooseBlocks(PackedWeight &w) const
    {
        const bool blocks = w.cols % 32 == 0, four = w.bits == 4;
        const bool follow = blocks && w.groupCols % 32 == 0;
        const bool middle = !w.zeros || w.checkZeros;
        if (follow && middle)
            w.stored = four ? DType::Q4_0 : DType::Q8_0;
        else if (follow && four)
            w.stored = DType::Q5_0;
        if (!w.order)
            return;
        if (w.stored == DType::F16)
            w.columns.clear();
        w.storedByGroup = w.stored;
        w.stored = blocks && four ? DType::Q8_0 : DType::F16;
    }

    /// The group of each column says in which order they were quantised; none where they follow
    /// each other.
    void readOrder(PackedWeight &w, const Tensor &order) const
    {
        expect(order, "I32", {w.cols});
        w.columns = columnsByGroup(m_folder, order, w.groups(), w.groupCols);
        w.order = w.columns.empty() ? nullptr : &order;
    }

    void addGptq(const Tensor &codes, const std::string &name)
    {
        expectRank(codes, "I32", 2);
        const Tensor &scales = beside(codes, name + ".scales");
        const Tensor &zeros = beside(codes, name + ".qzeros");
        expectRank(zeros, "I32", 2);
        const std::uint64_t rows = codes.shape[1], groups = zeros.shape[0];
        expect(scales, "float", {groups, rows});
        PackedWeight w{.name = name + ".weight",
                       .form = Form::Gptq,
                       .rows = rows,
                       .codes = &codes,
                       .scales = &scales,
                       .zeros = &zeros,
                       .zeroShift = m_scheme.zerosAsTheyAre ? 0 : 1,
                       .checkZeros = m_scheme.symmetric};
        w.bits = static_cast<unsigned>(32 * zeros.shape[1] / rows);
        if (w.bits * rows != 32 * zeros.shape[1] || (w.bits != 4 && w.bits != 8))
            return refuse("GPTQ with " + std::to_string(w.bits) + " bits", codes);
        w.cols = codes.shape[0] * (32 / w.bits);
        w.groupCols = (w.cols + groups - 1) / groups;
        if (groups > w.cols || w.cols % groups != 0)
            fail(scales, " has " + std::to_string(groups) + " groups for " +
                             std::to_string(w.cols) + " columns");
        if (const Tensor *order = optional(name + ".g_idx")) {
            readOrder(w, *order);
            m_found.parts.insert(order);
        }
        chooseBlocks(w);
        keep(std::move(w));
    }

    void addAwq(const Tensor &codes, const std::string &name)
    {
        expectRank(codes, "I32", 2);
        const Tensor &scales = beside(codes, name + ".scales");
        expectRank(scales, scales.type.c_str(), 2);
        PackedWeight w{.name = name + ".weight",
                       .form = Form::Awq,
                       .bits = 4,
                       .rows = scales.shape[1],
                       .cols = codes.shape[0],
                       .codes = &codes,
                       .scales = &scales,
                       .zeros = optional(name + ".qzeros")};
        const std::uint64_t groups = scales.shape[0];
        expect(scales, "float", {groups, w.rows});
        if (codes.shape[1] * 8 != w.rows)
            return refuse("AWQ with other than 4 bits", codes);
        if (w.zeros)
            expect(*w.zeros, "I32", {groups, codes.shape[1]});
        if (groups > w.cols || w.cols % groups != 0)
            fail(scales, " has " + std::to_string(groups) + " groups for " +
                             std::to_string(w.cols) + " columns");
        w.groupCols = w.cols / groups;
        chooseBlocks(w);
        keep(std::move(w));
    }

    /// Rows and columns that share a scale, after the shape of the scales.
    void readGroups(PackedWeight &w) const
    {
        const Tensor &scales = *w.scales;
        const std::vector<std::uint64_t> &shape = scales.shape;
        std::uint64_t count = 1;
        for (const std::uint64_t n : shape)
            count *= n; // the reader checked the bytes
        if (!isScale(scales) || shape.size() > 2 || count == 0)
            fail(scales, " is " + scales.type + ' ' + shapeText(shape) + ", expected scales");
        if (count == 1) {
            w.groupRows = w.rows;
            w.groupCols = w.cols;
        } else if (count == w.rows && shape[0] == w.rows) {
            w.groupRows = 1;
            w.groupCols = w.cols;
        } else if (shape.size() == 2 && shape[0] == w.rows && w.cols % shape[1] == 0) {
            w.groupRows = 1;
            w.groupCols = w.cols / shape[1];
        } else {
            w.groupRows = m_scheme.blockRows;
            w.groupCols = m_scheme.blockCols;
            expect(scales, "float",
                   {(w.rows + w.groupRows - 1) / w.groupRows,
                    (w.cols + w.groupCols - 1) / w.groupCols});
        }
    }

    void addFp8(const Tensor &codes, const std::string &name)
    {
        const Tensor *scales = optional(name + ".weight_scale_inv");
        if (!scales)
            scales = optional(name + ".weight_scale");
        if (!scales)
            return; // refused by its type, if it is needed
        expectRank(codes, "F8_E4M3", 2);
        PackedWeight w{.name = name + ".weight",
                       .form = Form::Fp8,
                       .rows = codes.shape[0],
                       .cols = codes.shape[1],
                       .codes = &codes,
                       .scales = scales};
        readGroups(w);
        w.stored = w.cols % 32 == 0 && w.groupCols % 32 == 0 ? DType::F8_E4M3 : DType::F16;
        keep(std::move(w));
    }

    void addBytes(const Tensor &codes, const std::string &name)
    {
        const Tensor *const scales = optional(name + ".weight_scale");
        if (!scales)
            return;
        if (optional(name + ".weight_zero_point"))
            return refuse("8-bit weights with zero points", codes);
        expectRank(codes, "I8", 2);
        PackedWeight w{.name = name + ".weight",
                       .form = Form::Bytes,
                       .rows = codes.shape[0],
                       .cols = codes.shape[1],
                       .codes = &codes,
                       .scales = scales};
        readGroups(w);
        chooseBlocks(w);
        keep(std::move(w));
    }

    void addWords(const Tensor &codes, const std::string &name)
    {
        expectRank(codes, "I32", 2);
        const Tensor &shape = beside(codes, name + ".weight_shape");
        std::array<std::uint64_t, 2> sizes{};
        if (shape.shape != std::vector<std::uint64_t>{2} ||
            (shape.type != "I64" && shape.type != "I32"))
            fail(shape, " is " + shape.type + ' ' + shapeText(shape.shape) + ", expected I64 [2]");
        for (std::size_t i = 0; i < 2; ++i)
            std::memcpy(&sizes[i], &shape.bytes[i * shape.bytes.size() / 2],
                        shape.bytes.size() / 2);
        const std::uint64_t words = codes.shape[1];
        const bool four = words == (sizes[1] + 7) / 8 && sizes[1] <= 8 * words;
        const bool eight = words == (sizes[1] + 3) / 4 && sizes[1] <= 4 * words;
        if (sizes[0] != codes.shape[0] || sizes[1] == 0)
            fail(shape, " says [" + std::to_string(sizes[0]) + ", " + std::to_string(sizes[1]) +
                            "] of " + shapeText(codes.shape));
        if (!four && !eight)
            return refuse("packed weights of other than 4 or 8 bits", codes);
        PackedWeight w{.name = name + ".weight",
                       .form = Form::Words,
                       .bits = four ? 4u : 8u,
                       .rows = sizes[0],
                       .cols = sizes[1],
                       .codes = &codes,
                       .scales = &beside(codes, name + ".weight_scale"),
                       .zeros = optional(name + ".weight_zero_point")};
        m_found.parts.insert(&shape);
        readGroups(w);
        if (w.groupRows != 1 && w.groupRows != w.rows)
            return refuse("packed weights in blocks of rows", codes);
        const std::uint64_t perWord = 32 / w.bits;
        if (w.zeros)
            expect(*w.zeros, "I32", {(w.rows + perWord - 1) / perWord, w.groups()});
        if (const Tensor *order = optional(name + ".weight_g_idx")) {
            if (!isUnsetOrder(*order))
                readOrder(w, *order);
            m_found.parts.insert(order);
        }
        chooseBlocks(w);
        keep(std::move(w));
    }

    void addMxfp4(const Tensor &codes, const std::string &name)
    {
        expectRank(codes, "U8", 4);
        const Tensor &scales = beside(codes, name + "_scales");
        const std::vector<std::uint64_t> &shape = codes.shape;
        if (shape[3] != 16)
            fail(codes, " is " + shapeText(shape) + ", expected blocks of 16 bytes");
        expect(scales, "U8", {shape[0], shape[1], shape[2]});
        keep({.name = name,
              .form = Form::Mxfp4,
              .stored = DType::MXFP4,
              .bits = 4,
              .depth = shape[0],
              .rows = shape[1],
              .cols = 32 * shape[2],
              .groupCols = 32,
              .codes = &codes,
              .scales = &scales});
    }

    /// The factor is one that the file's name for it multiplies or divides by.
    void addNvfp4(const Tensor &codes, const std::string &name, const char *factorName,
                  bool divides)
    {
        const Tensor *const scales = optional(name + ".weight_scale");
        const Tensor *const factor = optional(name + factorName);
        if (!scales || scales->type != "F8_E4M3" || !factor)
            return refuse("FP4 weights other than NVFP4", codes);
        expectRank(codes, "U8", 2);
        PackedWeight w{.name = name + ".weight",
                       .form = Form::Nvfp4,
                       .bits = 4,
                       .rows = codes.shape[0],
                       .cols = 2 * codes.shape[1],
                       .groupCols = 16,
                       .codes = &codes,
                       .scales = scales,
                       .factor = factor,
                       .inverseScale = divides};
        expect(*scales, "F8_E4M3", {w.rows, w.groups()});
        if (w.cols % 16 != 0)
            fail(codes, " has " + std::to_string(w.cols) + " columns, expected groups of 16");
        expect(*factor, "float",
               factor->shape.empty() ? factor->shape : std::vector<std::uint64_t>{1});
        w.stored = w.cols % 256 == 0 ? DType::NVFP4_F32 : DType::F16;
        keep(std::move(w));
    }

    void addTernary(const Tensor &codes, const std::string &name)
    {
        expectRank(codes, "U8", 2);
        PackedWeight w{.name = name + ".weight",
                       .form = Form::Ternary,
                       .bits = 2,
                       .rows = 4 * codes.shape[0],
                       .cols = codes.shape[1],
                       .codes = &codes,
                       .scales = &beside(codes, name + ".weight_scale"),
                       .inverseScale = m_scheme.inverseScale};
        readGroups(w);
        w.stored = DType::F16;
        if (w.cols % 32 == 0 && w.groupCols == w.cols)
            w.stored = w.cols % 256 == 0 ? DType::TQ2_0 : DType::Q4_0;
        keep(std::move(w));
    }

    const std::filesystem::path &m_folder;
    PackedScheme m_scheme;
    PackedWeights &m_found;
    std::unordered_map<std::string_view, const Tensor *> m_byName;
};

} // namespace

std::string PackedWeight::label() const
{
    const std::string count = std::to_string(bits);
    switch (form) {
    case Form::Fp8:
        return "FP8";
    case Form::Gptq:
        return "GPTQ " + count + "-bit";
    case Form::Awq:
        return "AWQ " + count + "-bit";
    case Form::Words:
    case Form::Bytes:
        return "INT" + count;
    case Form::Mxfp4:
        return "MXFP4";
    case Form::Nvfp4:
    case Form::Nvfp4Blocks:
        return "NVFP4";
    case Form::Ternary:
        return "BitNet";
    }
    return {};
}

std::size_t PackedWeight::storedBytes() const
{
    return static_cast<std::size_t>(depth * rows) *
           rowBytes(stored, static_cast<std::size_t>(cols));
}

std::size_t PackedWeight::productBytes() const
{
    if (columns.empty())
        return storedBytes();
    return static_cast<std::size_t>(rows) *
               rowBytes(storedByGroup, static_cast<std::size_t>(cols)) +
           columns.size() * sizeof(float);
}

std::uint64_t PackedWeight::fileBytes() const
{
    std::uint64_t sum = 0;
    for (const SafetensorsTensor *part : {codes, scales, zeros, factor, order})
        sum += part ? part->bytes.size() : 0;
    return sum;
}

PackedWeights findPackedWeights(const std::filesystem::path &folder, const json &config,
                                const std::vector<const SafetensorsTensor *> &tensors)
{
    PackedWeights found;
    PackedScheme scheme = packedSchemeOf(config);
    if (!scheme.method.empty())
        Finder(folder, std::move(scheme), found).find(tensors);
    return found;
}

} // namespace fireside
