#pragma once
#include "tests/support/safetensors_builder.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace fireside::test {

/// A way in which folders hold quantised weights.
struct PackedKind
{
    enum class Layout { Gptq, Awq, Words, Bytes, Fp8, Mxfp4, Nvfp4, Ternary };
    std::string name;   // of a test
    std::string model;  // the golden folder that is written so
    std::string config; // quantization_config
    Layout layout;
    unsigned bits = 4;
    std::uint64_t groupCols = 32; // that share a scale; 0: all of a row
    std::uint64_t groupRows = 1;  // … of FP8; 0: all
    bool zeros = false;           // of their own, not in the middle
    unsigned zeroShift = 0;       // less than the real ones as they are stored
    unsigned scattered = 0;       // orders of columns there are, by layers' names; 0: as they lie
    std::string scaleType = "F16";
    std::string scaleName = ".weight_scale";
    bool inverseScale = false;
    double relative = 0; // what values in memory may differ by, of themselves
    double ofBlock = 0;  // … and of the largest of 32, with columns as they lie
};
std::vector<PackedKind> packedKinds();

/// Writes a matrix [rows, cols] (of MXFP4 [depth, rows, cols]) under the name of a layer ("a.b"),
/// as the definition of the format says, in plain loops. Gives what it then stands for.
std::vector<double> addPacked(const PackedKind &kind, const std::string &layer, std::uint64_t depth,
                              std::uint64_t rows, std::uint64_t cols,
                              const std::vector<float> &weights, SafetensorsBuilder &out);

/// A copy of a golden folder with its products' weights packed, and one in which they are the F32
/// numbers that these stand for.
void writePackedFolder(const PackedKind &kind, const std::filesystem::path &golden,
                       const std::filesystem::path &packed, const std::filesystem::path &plain);

} // namespace fireside::test
