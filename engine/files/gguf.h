#pragma once
#include "engine/files/mapped_file.h"
#include "engine/tensor/dtype.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace fireside {

/// One metadata value of a GGUF file. Numbers keep their file type's width class; arrays are
/// homogeneous; strings point into the mapped file.
struct GgufArray;
using GgufValue =
    std::variant<std::uint64_t, std::int64_t, double, bool, std::string_view, GgufArray>;
struct GgufArray
{
    std::uint32_t elementType = 0; // GGUF value type id: 4 u32, 5 i32, 6 f32, 8 string, …
    std::vector<std::uint64_t> unsignedValues; // u8, u16, u32, u64, and bool as 0 or 1
    std::vector<std::int64_t> signedValues;
    std::vector<double> floatValues;
    std::vector<std::string_view> strings;
    std::size_t size() const;
};

/// A metadata value as its bytes lie in the file, to be copied.
struct GgufRawValue
{
    std::uint32_t type = 0; // GGUF value type id
    std::span<const std::byte> bytes;
};

/// One row of the tensor table. dims[0] is the fastest (input features of a matrix).
struct GgufTensor
{
    std::string_view name;
    std::uint32_t ggmlType = 0;
    std::optional<DType> dtype; // nullopt: a type we do not compute with
    int rank = 0;
    std::array<std::uint64_t, 4> dims{1, 1, 1, 1};
    std::uint64_t fileOffset = 0;     // absolute
    std::span<const std::byte> bytes; // empty when dtype is nullopt and its size is unknown
};

/// A GGUF v2/v3 file, opened over a memory map, header fully checked before any of it is used:
/// checked arithmetic, bounds before reads, no duplicate keys or tensors, data inside the file,
/// aligned and not overlapping. Every error names the file, and offset, key or tensor and numbers.
/// Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
class Gguf
{
public:
    static Gguf open(const std::filesystem::path &path); // throws Error

    const std::filesystem::path &path() const { return m_file.path(); }
    const MappedFile &file() const { return m_file; }
    std::uint32_t version() const { return m_version; }
    std::uint64_t dataOffset() const { return m_dataOffset; } // where tensors may begin

    /// Metadata in file order.
    const std::vector<std::pair<std::string_view, GgufValue>> &metadata() const
    {
        return m_metadata;
    }
    /// The same, value by value.
    const std::vector<GgufRawValue> &rawMetadata() const { return m_rawMetadata; }
    const GgufValue *find(std::string_view key) const; // nullptr when absent
    std::uint64_t alignment() const { return m_alignment; }

    // Typed lookups: nullopt/nullptr when absent, Error naming key and type when the type is wrong
    // or an integer is negative or out of range.
    std::optional<std::uint64_t> findUnsigned(std::string_view key) const; // any integer type ≥ 0
    std::optional<double> findFloat(std::string_view key) const;           // f32, f64 or an integer
    std::optional<bool> findBool(std::string_view key) const;
    std::optional<std::string_view> findString(std::string_view key) const;
    const GgufArray *findArray(std::string_view key) const;

    // The same for required keys: Error "… lacks the key 'x'".
    std::uint64_t requireUnsigned(std::string_view key) const;
    std::string_view requireString(std::string_view key) const;

    const std::vector<GgufTensor> &tensors() const { return m_tensors; }
    const GgufTensor *findTensor(std::string_view name) const; // nullptr when absent

    /// Takes over another part of the same model: its tensors come behind the own ones.
    /// Error(BadInput) for a tensor that both have.
    void append(Gguf part);
    const std::vector<Gguf> &others() const { return m_others; } // parts taken over
    /// The files of all parts, the first one's before the others'.
    std::vector<const MappedFile *> files() const;

private:
    explicit Gguf(MappedFile file)
        : m_file(std::move(file))
    {}
    friend class GgufParser;
    MappedFile m_file;
    std::vector<Gguf> m_others;
    std::uint32_t m_version = 0;
    std::uint64_t m_dataOffset = 0;
    std::vector<std::pair<std::string_view, GgufValue>> m_metadata;
    std::vector<GgufRawValue> m_rawMetadata;
    std::uint64_t m_alignment = 32;
    std::vector<GgufTensor> m_tensors;
    std::unordered_map<std::string_view, std::size_t> m_keyIndex;
    std::unordered_map<std::string_view, std::size_t> m_tensorIndex;
};

} // namespace fireside
