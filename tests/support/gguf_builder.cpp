#include "tests/support/gguf_builder.h"

#include <algorithm>
#include <bit>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace fireside::test {

ByteWriter &ByteWriter::bytes(std::span<const std::byte> data)
{
    const std::size_t size = m_bytes.size();
    m_bytes.resize(size + data.size());
    std::copy(data.begin(), data.end(), m_bytes.begin() + static_cast<std::ptrdiff_t>(size));
    return *this;
}

ByteWriter &ByteWriter::raw(std::string_view text)
{
    return bytes(std::as_bytes(std::span(text.data(), text.size())));
}

ByteWriter &ByteWriter::string(std::string_view text)
{
    return put(std::uint64_t{text.size()}).raw(text);
}

GgufBuilder &GgufBuilder::version(std::uint32_t version)
{
    m_version = version;
    return *this;
}

GgufBuilder &GgufBuilder::magic(std::string_view fourCharacters)
{
    m_magic = fourCharacters;
    return *this;
}

GgufBuilder &GgufBuilder::alignment(std::uint32_t alignment)
{
    if (std::has_single_bit(alignment) && alignment <= 1 << 20)
        m_alignment = alignment;
    return u32("general.alignment", alignment);
}

GgufBuilder &GgufBuilder::tensorCount(std::uint64_t count)
{
    m_tensorCount = count;
    return *this;
}

GgufBuilder &GgufBuilder::keyCount(std::uint64_t count)
{
    m_keyCount = count;
    return *this;
}

GgufBuilder &GgufBuilder::value(std::string_view key, std::uint32_t type, const ByteWriter &bytes)
{
    m_metadata.string(key).put(type).bytes(bytes.data());
    ++m_keys;
    return *this;
}

GgufBuilder &GgufBuilder::u8(std::string_view key, std::uint8_t v)
{
    return value(key, U8, ByteWriter().put(v));
}
GgufBuilder &GgufBuilder::i8(std::string_view key, std::int8_t v)
{
    return value(key, I8, ByteWriter().put(v));
}
GgufBuilder &GgufBuilder::u16(std::string_view key, std::uint16_t v)
{
    return value(key, U16, ByteWriter().put(v));
}
GgufBuilder &GgufBuilder::i16(std::string_view key, std::int16_t v)
{
    return value(key, I16, ByteWriter().put(v));
}
GgufBuilder &GgufBuilder::u32(std::string_view key, std::uint32_t v)
{
    return value(key, U32, ByteWriter().put(v));
}
GgufBuilder &GgufBuilder::i32(std::string_view key, std::int32_t v)
{
    return value(key, I32, ByteWriter().put(v));
}
GgufBuilder &GgufBuilder::u64(std::string_view key, std::uint64_t v)
{
    return value(key, U64, ByteWriter().put(v));
}
GgufBuilder &GgufBuilder::i64(std::string_view key, std::int64_t v)
{
    return value(key, I64, ByteWriter().put(v));
}
GgufBuilder &GgufBuilder::f32(std::string_view key, float v)
{
    return value(key, F32, ByteWriter().put(v));
}
GgufBuilder &GgufBuilder::f64(std::string_view key, double v)
{
    return value(key, F64, ByteWriter().put(v));
}
GgufBuilder &GgufBuilder::boolean(std::string_view key, bool v)
{
    return value(key, Bool, ByteWriter().put(static_cast<std::uint8_t>(v)));
}
GgufBuilder &GgufBuilder::string(std::string_view key, std::string_view v)
{
    return value(key, String, ByteWriter().string(v));
}

GgufBuilder &GgufBuilder::strings(std::string_view key, std::span<const std::string> values)
{
    ByteWriter bytes;
    bytes.put(std::uint32_t{String}).put(std::uint64_t{values.size()});
    for (const std::string &text : values)
        bytes.string(text);
    return value(key, Array, bytes);
}

template <typename T>
GgufBuilder &GgufBuilder::array(std::string_view key, Type type, std::span<const T> values)
{
    ByteWriter bytes;
    bytes.put(std::uint32_t{type}).put(std::uint64_t{values.size()}).bytes(std::as_bytes(values));
    return value(key, Array, bytes);
}

GgufBuilder &GgufBuilder::i32Array(std::string_view key, std::span<const std::int32_t> values)
{
    return array(key, I32, values);
}
GgufBuilder &GgufBuilder::u32Array(std::string_view key, std::span<const std::uint32_t> values)
{
    return array(key, U32, values);
}
GgufBuilder &GgufBuilder::f32Array(std::string_view key, std::span<const float> values)
{
    return array(key, F32, values);
}
GgufBuilder &GgufBuilder::boolArray(std::string_view key, std::span<const std::uint8_t> values)
{
    return array(key, Bool, values);
}

GgufBuilder &GgufBuilder::metadata(std::span<const std::byte> bytes, std::uint64_t keys)
{
    m_metadata.bytes(bytes);
    m_keys += keys;
    return *this;
}

GgufBuilder &GgufBuilder::tensor(std::string_view name, DType type, std::vector<std::uint64_t> dims,
                                 std::span<const std::byte> bytes)
{
    std::size_t elements = 1;
    for (const std::uint64_t d : dims)
        elements *= d;
    const std::size_t size = rowBytes(type, elements);
    if (!bytes.empty() && bytes.size() != size)
        throw std::invalid_argument("GgufBuilder: wrong number of bytes for " + std::string(name));
    std::vector<std::byte> data(bytes.begin(), bytes.end());
    data.resize(size);
    m_rows.push_back(
        {std::string(name), std::move(dims), info(type).ggmlId, std::move(data), kAutoOffset});
    return *this;
}

GgufBuilder &GgufBuilder::rawTensor(std::string_view name, std::vector<std::uint64_t> dims,
                                    std::uint32_t ggmlType, std::size_t bytes, std::uint64_t offset)
{
    m_rows.push_back(
        {std::string(name), std::move(dims), ggmlType, std::vector<std::byte>(bytes), offset});
    return *this;
}

std::uint64_t GgufBuilder::padded(std::uint64_t size) const
{
    return (size + m_alignment - 1) / m_alignment * m_alignment;
}

std::vector<std::byte> GgufBuilder::header() const
{
    ByteWriter out;
    out.raw(m_magic).put(m_version);
    out.put(m_tensorCount.value_or(m_rows.size()));
    out.put(m_keyCount.value_or(m_keys));
    out.bytes(m_metadata.data());
    std::uint64_t offset = 0;
    for (const Row &row : m_rows) {
        out.string(row.name).put(static_cast<std::uint32_t>(row.dims.size()));
        for (const std::uint64_t d : row.dims)
            out.put(d);
        out.put(row.type).put(row.offset == kAutoOffset ? offset : row.offset);
        offset += padded(row.bytes.size());
    }
    return out.data();
}

std::size_t GgufBuilder::headerSize() const
{
    return header().size();
}

std::vector<std::byte> GgufBuilder::build() const
{
    std::vector<std::byte> out = header();
    for (const Row &row : m_rows) {
        out.resize(static_cast<std::size_t>(padded(out.size())));
        out.insert(out.end(), row.bytes.begin(), row.bytes.end());
    }
    return out;
}

void GgufBuilder::write(const std::filesystem::path &path) const
{
    writeFile(path, build());
}

void writeFile(const std::filesystem::path &path, std::span<const std::byte> bytes)
{
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char *>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
    out.close();
    if (!out)
        throw std::runtime_error("cannot write " + path.string());
}

std::vector<std::byte> readFile(const std::filesystem::path &path)
{
    std::ifstream in(path, std::ios::binary);
    if (!in)
        throw std::runtime_error("cannot read " + path.string());
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
    return {bytes.begin(), bytes.end()};
}

} // namespace fireside::test
