#pragma once
#include "engine/files/safetensors.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace fireside {

/// A weight that a Hugging Face folder holds quantised, spread over several tensors, and the form
/// that it gets in memory. Its values are scale · (code − zero), with a scale and a zero for each
/// group of columns of a row.
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
///   Q8_0    of 4-bit codes whose groups are scattered over the columns (GPTQ's act-order): values
///           rounded to 8 bits in blocks of 32, within 1/254 of the largest of a block
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
    };
    std::string name; // "model.layers.0.mlp.up_proj.weight"
    Form form = Form::Bytes;
    DType stored = DType::F16;
    unsigned bits = 8; // of a code
    std::uint64_t depth = 1, rows = 0, cols = 0;
    std::uint64_t groupRows = 1, groupCols = 1; // that share a scale
    const SafetensorsTensor *codes = nullptr, *scales = nullptr;
    const SafetensorsTensor *zeros = nullptr;  // or none: the middle of the codes
    const SafetensorsTensor *factor = nullptr; // of NVFP4: one number
    const SafetensorsTensor *order = nullptr;  // the group of each column, where they are scattered
    int zeroShift = 0;                         // added to what `zeros` holds
    bool checkZeros = false;                   // config.json says that they are the middle
    bool inverseScale = false;                 // scales divide, of NVFP4 the factor

    std::string label() const;       // "GPTQ 4-bit"
    std::size_t storedBytes() const; // in memory
    std::uint64_t fileBytes() const;
    /// In the file's order of rows and columns even where config.json's class transposes its
    /// tensors.
    bool byOutputs() const
    {
        return form == Form::Gptq || form == Form::Awq || form == Form::Mxfp4;
    }
    std::uint64_t groups() const { return (cols + groupCols - 1) / groupCols; } // of a row
};

/// The quantised weights of a folder, found by the tensors that are there.
struct PackedWeights
{
    std::vector<PackedWeight> weights;
    /// Tensors that are parts of weights, or say how activations are to be rounded.
    std::unordered_set<const SafetensorsTensor *> parts;
    std::optional<std::string> problem; // "quantisation 'bitsandbytes'": not supported
};

/// `config`: config.json's object. Error(BadInput) naming folder and tensor where shapes disagree.
PackedWeights findPackedWeights(const std::filesystem::path &folder, const nlohmann::json &config,
                                const std::vector<const SafetensorsTensor *> &tensors);

/// Rows of a weight as its form in memory; those of later matrices are counted on. From several
/// threads at a time. Error(BadInput) naming the tensor for zeros or scales that the form cannot
/// hold.
void unpackRows(const PackedWeight &weight, std::uint64_t firstRow, std::uint64_t rows,
                std::byte *out);

} // namespace fireside
