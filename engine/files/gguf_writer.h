#pragma once
#include "engine/files/gguf.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fireside {

/// Whether GGUF has a number for a type of weights, not only we.
constexpr bool isInGguf(DType type)
{
    return info(type).ggmlId < 0x10000;
}

class NewFile;

/// Writes a GGUF file of version 3: first all keys and the table of tensors, then the tensors'
/// bytes one after another.
class GgufWriter
{
public:
    /// Of the tensors' data, in bytes; a power of two.
    explicit GgufWriter(std::uint64_t alignment = 32)
        : m_alignment(alignment)
    {}
    void raw(std::string_view key, const GgufRawValue &value);
    void u32(std::string_view key, std::uint32_t value);
    void f32(std::string_view key, float value);
    void boolean(std::string_view key, bool value);
    void string(std::string_view key, std::string_view value);
    void u32Array(std::string_view key, std::span<const std::uint32_t> values);
    void i32Array(std::string_view key, std::span<const std::int32_t> values);
    void f32Array(std::string_view key, std::span<const float> values);
    void u8Array(std::string_view key, std::span<const std::uint8_t> values);
    void boolArray(std::string_view key, std::span<const std::uint8_t> values); // 0 or 1
    void strings(std::string_view key, std::span<const std::string> values);
    /// dims[0] is the fastest.
    void tensor(std::string_view name, DType type, std::span<const std::uint64_t> dims);

    std::uint64_t fileBytes() const;
    /// Keys and table of tensors, up to where the data begin.
    std::vector<std::byte> header() const;
    void writeHeader(NewFile &file) const;
    /// What bytes of a tensor take in the file.
    std::uint64_t padded(std::uint64_t size) const { return size + padding(size); }
    /// The bytes of the next tensor may come in several pieces; then its padding.
    void finishTensor(NewFile &file) const;

private:
    std::uint64_t padding(std::uint64_t size) const;
    void key(std::string_view name, std::uint32_t type);
    void array(std::string_view name, std::uint32_t type, std::size_t count,
               std::span<const std::byte> bytes);

    std::uint64_t m_alignment;
    std::uint64_t m_keys = 0, m_tensors = 0, m_dataBytes = 0;
    std::vector<std::byte> m_keyBytes, m_tableBytes;
};

} // namespace fireside
