#pragma once
#include "engine/files/safetensors.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace fireside {

class Gguf;

/// A weight that a Hugging Face folder holds quantised, spread over several tensors, or a GGUF file
/// with a factor beside it, and the form that it gets in memory. Its values are scale · (code −
/// zero), with a scale and a zero for each group of columns of a row.
///
/// What the form in memory holds of it:
///   Q4_0    4-bit codes around 8: the codes as they are
///   Q5_0    4-bit codes with zeros of their own: code − zero + 16 is a whole number below 32
///   Q8_0    8-bit codes around 128, or signed ones: the codes as they are
///   TQ2_0   the three values −1, 0, 1, in rows of whole blocks of 256
///   F8_E4M3 the codes of FP8 as they are, with their scales in F32, in rows of whole blocks of 32
///   NVFP4_F32 codes and scales of NVFP4 as they are with the tensor's factor in F32, in rows of
///   whole
///           blocks of 256
///   MXFP4   the same blocks with their nibbles in another order: exactly the file's values
///   F16     8-bit codes with zeros of their own, and groups that blocks cannot follow: values
///           rounded to 11 bits, which is within 2^-12 of each
/// Scales of other blocks are F16: those that a file has in F16 stay as they are, BF16 does so in
/// F16's normal range, F32 is rounded to 11 bits. A scale beyond F16 is an error when it is read.
///
/// Groups that are scattered over the columns (GPTQ's act-order) lie together when the columns are
/// taken group by group; the codes then stay as they are, and products take their inputs in the
/// same order. Whoever needs the columns in their own order gets 4-bit codes rounded:
///   Q8_0    values in 8 bits in blocks of 32, within 1/254 of the largest of a block
struct PackedWeight
{
    enum class Form : std::uint8_t {
        Fp8,     // E4M3 [rows, cols], scales of blocks, rows or the whole
        Gptq,    // I32 [cols · bits / 32, rows], lowest bits first along a column
        Awq,     // I32 [cols, rows / 8], eight rows in the order 0 2 4 6 1 3 5 7
        Words,   // I32 [rows, cols · bits / 32], lowest bits first along a row
        Bytes,   // I8 [rows, cols]
        Mxfp4,   // U8 [depth, rows, cols / 32, 16], neighbours in a byte; exponents beside
        Nvfp4,   // U8 [rows, cols / 2], neighbours in a byte; E4M3 scales of 16, a factor of all
        Ternary, // U8 [rows / 4, cols]: two bits each of rows a quarter of the matrix apart
        Nvfp4Blocks, // of GGUF [depth, rows, cols], and F32 factors, [depth] or one
    };
    std::string name; // "model.layers.0.mlp.up_proj.weight"
    Form form = Form::Bytes;
    DType stored = DType::F16; // columns in their own order
    /// With columns group by group: the type, and the number of each column, [cols]. Empty where
    /// they are in order already, or the groups are no whole blocks.
    DType storedByGroup = DType::F16;
    std::vector<std::int32_t> columns{};
    unsigned bits = 8; // of a code
    std::uint64_t depth = 1, rows = 0, cols = 0;
    std::uint64_t groupRows = 1, groupCols = 1; // that share a scale
    const SafetensorsTensor *codes = nullptr, *scales = nullptr;
    const SafetensorsTensor *zeros = nullptr;  // or none: the middle of the codes
    const SafetensorsTensor *factor = nullptr; // of NVFP4: one number, or one for each matrix
    const SafetensorsTensor *order = nullptr;  // the group of each column, where they are scattered
    int zeroShift = 0;                         // added to what `zeros` holds
    bool checkZeros = false;                   // config.json says that they are the middle
    bool inverseScale = false;                 // scales divide, of NVFP4 the factor

    std::string label() const;       // "GPTQ 4-bit"
    std::size_t storedBytes() const; // in memory
    /// The type and bytes of what products take, with the columns' numbers.
    DType productType() const { return columns.empty() ? stored : storedByGroup; }
    std::size_t productBytes() const;
    std::uint64_t fileBytes() const;
    /// In the file's order of rows and columns even where config.json's class transposes its
    /// tensors.
    bool byOutputs() const
    {
        return form == Form::Gptq || form == Form::Awq || form == Form::Mxfp4 ||
               form == Form::Nvfp4Blocks;
    }
    std::uint64_t groups() const { return (cols + groupCols - 1) / groupCols; } // of a row
};

/// The quantised weights of a file, found by the tensors that are there.
struct PackedWeights
{
    std::vector<PackedWeight> weights;
    /// Tensors that are parts of weights, or say how activations are to be rounded.
    std::unordered_set<const SafetensorsTensor *> parts;
    std::unordered_set<std::string_view> partNames;                 // … of a GGUF file
    std::vector<std::unique_ptr<const SafetensorsTensor>> fromGguf; // what its weights point to
    std::optional<std::string> problem; // "quantisation 'bitsandbytes'": not supported
};

/// `config`: config.json's object. Error(BadInput) naming folder and tensor where shapes disagree.
PackedWeights findPackedWeights(const std::filesystem::path &folder, const nlohmann::json &config,
                                const std::vector<const SafetensorsTensor *> &tensors);

/// NVFP4 tensors beside which there are factors, "blk.3.ffn_up.scale" of "blk.3.ffn_up.weight", as
/// llama.cpp writes them; for experts one each. How activations are rounded, ".input_scale", is
/// left out. Error(BadInput) naming file and tensor for a factor of another type or shape.
PackedWeights findScaledWeights(const Gguf &file);

enum class ColumnOrder : std::uint8_t { Own, ByGroup }; // ByGroup: as `columns` says, if it does

/// Rows of a weight as its form in memory; those of later matrices are counted on. From several
/// threads at a time. Error(BadInput) naming the tensor for zeros or scales that the form cannot
/// hold.
void unpackRows(const PackedWeight &weight, std::uint64_t firstRow, std::uint64_t rows,
                std::byte *out, ColumnOrder order = ColumnOrder::Own);

} // namespace fireside
