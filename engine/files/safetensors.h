#pragma once
#include "engine/files/mapped_file.h"
#include "engine/tensor/dtype.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fireside {

/// One entry of a safetensors header.
struct SafetensorsTensor
{
    std::string name;
    std::string type;                 // as the file says it: "BF16", "F8_E4M3"
    std::optional<DType> dtype;       // nullopt: a type we do not compute with
    std::vector<std::uint64_t> shape; // slowest first: {rows, cols}
    std::uint64_t fileOffset = 0;     // absolute
    std::span<const std::byte> bytes;
};

/// A safetensors file, opened over a memory map, its header fully checked before any of it is used:
/// at most 100 MB of valid JSON, no name twice, every tensor's bytes as many as shape and type ask
/// for, aligned, inside the file, without holes and overlaps. Every error names the file, and
/// tensor and numbers. Format: https://github.com/huggingface/safetensors#format
class Safetensors
{
public:
    static Safetensors open(const std::filesystem::path &path); // throws Error

    const std::filesystem::path &path() const { return m_file.path(); }
    const MappedFile &file() const { return m_file; }
    std::uint64_t dataOffset() const { return m_dataOffset; } // where the header ends

    const std::vector<SafetensorsTensor> &tensors() const { return m_tensors; } // in file order
    const SafetensorsTensor *findTensor(std::string_view name) const; // nullptr when absent

private:
    explicit Safetensors(MappedFile file)
        : m_file(std::move(file))
    {}
    void parse();
    void locate(SafetensorsTensor &tensor, std::uint64_t begin, std::uint64_t end) const;
    void checkCover() const;

    MappedFile m_file;
    std::uint64_t m_dataOffset = 0;
    std::vector<SafetensorsTensor> m_tensors;
    std::unordered_map<std::string_view, std::size_t> m_index;
};

/// "[4, 64]"
std::string shapeText(const std::vector<std::uint64_t> &shape);

} // namespace fireside
