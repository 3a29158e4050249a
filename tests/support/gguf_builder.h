#pragma once
#include "engine/tensor/dtype.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace fireside::test {

/// Little-endian bytes, appended.
class ByteWriter
{
public:
    template <typename T>
    ByteWriter &put(T value)
    {
        static_assert(std::is_arithmetic_v<T>);
        return bytes(std::as_bytes(std::span(&value, 1)));
    }
    ByteWriter &bytes(std::span<const std::byte> data);
    ByteWriter &raw(std::string_view text);    // the characters only
    ByteWriter &string(std::string_view text); // 64-bit length, then the characters
    const std::vector<std::byte> &data() const { return m_bytes; }

private:
    std::vector<std::byte> m_bytes;
};

/// Writes GGUF files for tests: good ones through the typed setters, broken ones through the raw
/// ones. Calls chain; build() lays the tensors out one after the other unless an offset was forced.
class GgufBuilder
{
public:
    // Value type ids of the format.
    enum Type : std::uint32_t {
        U8,
        I8,
        U16,
        I16,
        U32,
        I32,
        F32,
        Bool,
        String,
        Array,
        U64,
        I64,
        F64
    };

    GgufBuilder &version(std::uint32_t version);
    GgufBuilder &magic(std::string_view fourCharacters);
    GgufBuilder &alignment(std::uint32_t alignment); // writes the key too
    GgufBuilder &tensorCount(std::uint64_t count);   // lies
    GgufBuilder &keyCount(std::uint64_t count);

    GgufBuilder &u8(std::string_view key, std::uint8_t value);
    GgufBuilder &i8(std::string_view key, std::int8_t value);
    GgufBuilder &u16(std::string_view key, std::uint16_t value);
    GgufBuilder &i16(std::string_view key, std::int16_t value);
    GgufBuilder &u32(std::string_view key, std::uint32_t value);
    GgufBuilder &i32(std::string_view key, std::int32_t value);
    GgufBuilder &u64(std::string_view key, std::uint64_t value);
    GgufBuilder &i64(std::string_view key, std::int64_t value);
    GgufBuilder &f32(std::string_view key, float value);
    GgufBuilder &f64(std::string_view key, double value);
    GgufBuilder &boolean(std::string_view key, bool value);
    GgufBuilder &string(std::string_view key, std::string_view value);
    GgufBuilder &strings(std::string_view key, std::span<const std::string> values);
    GgufBuilder &i32Array(std::string_view key, std::span<const std::int32_t> values);
    GgufBuilder &u32Array(std::string_view key, std::span<const std::uint32_t> values);
    GgufBuilder &f32Array(std::string_view key, std::span<const float> values);
    GgufBuilder &boolArray(std::string_view key, std::span<const std::uint8_t> values);
    /// Keys and values as another file has them.
    GgufBuilder &metadata(std::span<const std::byte> bytes, std::uint64_t keys);
    /// Any type id with any value bytes.
    GgufBuilder &value(std::string_view key, std::uint32_t type, const ByteWriter &bytes);

    /// dims[0] is the fastest. Empty `bytes`: zeros of the right size.
    GgufBuilder &tensor(std::string_view name, DType type, std::vector<std::uint64_t> dims,
                        std::span<const std::byte> bytes = {});
    /// A row of the tensor table as given, with `bytes` of data behind it and, if not kAutoOffset,
    /// that offset in the data section.
    static constexpr std::uint64_t kAutoOffset = ~std::uint64_t{0};
    GgufBuilder &rawTensor(std::string_view name, std::vector<std::uint64_t> dims,
                           std::uint32_t ggmlType, std::size_t bytes,
                           std::uint64_t offset = kAutoOffset);

    std::vector<std::byte> build() const;
    std::size_t headerSize() const; // up to the first byte of padding before the data
    void write(const std::filesystem::path &path) const;

private:
    struct Row
    {
        std::string name;
        std::vector<std::uint64_t> dims;
        std::uint32_t type;
        std::vector<std::byte> bytes;
        std::uint64_t offset;
    };
    template <typename T>
    GgufBuilder &array(std::string_view key, Type type, std::span<const T> values);
    std::vector<std::byte> header() const;
    std::uint64_t padded(std::uint64_t size) const;

    std::string m_magic = "GGUF";
    std::uint32_t m_version = 3;
    std::uint64_t m_alignment = 32;             // layout; hostile values fall back to 32
    std::optional<std::uint64_t> m_tensorCount; // forced
    std::optional<std::uint64_t> m_keyCount;
    std::uint64_t m_keys = 0;
    ByteWriter m_metadata;
    std::vector<Row> m_rows;
};

void writeFile(const std::filesystem::path &path, std::span<const std::byte> bytes);
std::vector<std::byte> readFile(const std::filesystem::path &path);

} // namespace fireside::test
