#include "engine/files/gguf_writer.h"

#include "engine/files/gguf_type.h"
#include "engine/files/new_file.h"

#include <bit>

namespace fireside {
namespace {

static_assert(std::endian::native == std::endian::little, "GGUF files are little-endian");

void append(std::vector<std::byte> &out, std::span<const std::byte> bytes)
{
    out.insert(out.end(), bytes.begin(), bytes.end());
}

template <typename T>
void appendNumber(std::vector<std::byte> &out, T value)
{
    append(out, std::as_bytes(std::span(&value, 1)));
}

void appendText(std::vector<std::byte> &out, std::string_view text)
{
    appendNumber(out, std::uint64_t{text.size()});
    append(out, std::as_bytes(std::span(text)));
}

} // namespace

std::uint64_t GgufWriter::padding(std::uint64_t size) const
{
    return (m_alignment - size % m_alignment) % m_alignment;
}

void GgufWriter::key(std::string_view name, std::uint32_t type)
{
    appendText(m_keyBytes, name);
    appendNumber(m_keyBytes, type);
    ++m_keys;
}

void GgufWriter::raw(std::string_view name, const GgufRawValue &value)
{
    key(name, value.type);
    append(m_keyBytes, value.bytes);
}

void GgufWriter::u32(std::string_view name, std::uint32_t value)
{
    key(name, gguf_type::kU32);
    appendNumber(m_keyBytes, value);
}

void GgufWriter::string(std::string_view name, std::string_view value)
{
    key(name, gguf_type::kString);
    appendText(m_keyBytes, value);
}

void GgufWriter::f32(std::string_view name, float value)
{
    key(name, gguf_type::kF32);
    appendNumber(m_keyBytes, value);
}

void GgufWriter::boolean(std::string_view name, bool value)
{
    key(name, gguf_type::kBool);
    appendNumber(m_keyBytes, static_cast<std::uint8_t>(value));
}

void GgufWriter::array(std::string_view name, std::uint32_t type, std::size_t count,
                       std::span<const std::byte> bytes)
{
    key(name, gguf_type::kArray);
    appendNumber(m_keyBytes, type);
    appendNumber(m_keyBytes, std::uint64_t{count});
    append(m_keyBytes, bytes);
}

void GgufWriter::u32Array(std::string_view name, std::span<const std::uint32_t> values)
{
    array(name, gguf_type::kU32, values.size(), std::as_bytes(values));
}

void GgufWriter::i32Array(std::string_view name, std::span<const std::int32_t> values)
{
    array(name, gguf_type::kI32, values.size(), std::as_bytes(values));
}

void GgufWriter::f32Array(std::string_view name, std::span<const float> values)
{
    array(name, gguf_type::kF32, values.size(), std::as_bytes(values));
}

void GgufWriter::u8Array(std::string_view name, std::span<const std::uint8_t> values)
{
    array(name, gguf_type::kU8, values.size(), std::as_bytes(values));
}

void GgufWriter::boolArray(std::string_view name, std::span<const std::uint8_t> values)
{
    array(name, gguf_type::kBool, values.size(), std::as_bytes(values));
}

void GgufWriter::strings(std::string_view name, std::span<const std::string> values)
{
    std::vector<std::byte> bytes;
    for (const std::string &value : values)
        appendText(bytes, value);
    array(name, gguf_type::kString, values.size(), bytes);
}

void GgufWriter::tensor(std::string_view name, DType type, std::span<const std::uint64_t> dims)
{
    appendText(m_tableBytes, name);
    appendNumber(m_tableBytes, static_cast<std::uint32_t>(dims.size()));
    std::uint64_t elements = 1;
    for (const std::uint64_t n : dims) {
        appendNumber(m_tableBytes, n);
        elements *= n;
    }
    appendNumber(m_tableBytes, info(type).ggmlId);
    appendNumber(m_tableBytes, m_dataBytes);
    ++m_tensors;
    m_dataBytes += rowBytes(type, static_cast<std::size_t>(elements));
    m_dataBytes += padding(m_dataBytes);
}

std::uint64_t GgufWriter::fileBytes() const
{
    const std::uint64_t header = 24 + m_keyBytes.size() + m_tableBytes.size();
    return header + padding(header) + m_dataBytes;
}

std::vector<std::byte> GgufWriter::header() const
{
    std::vector<std::byte> head;
    append(head, std::as_bytes(std::span("GGUF", 4)));
    appendNumber(head, std::uint32_t{3});
    appendNumber(head, m_tensors);
    appendNumber(head, m_keys);
    append(head, m_keyBytes);
    append(head, m_tableBytes);
    head.resize(static_cast<std::size_t>(padded(head.size())));
    return head;
}

void GgufWriter::writeHeader(NewFile &file) const
{
    file.write(header());
}

void GgufWriter::finishTensor(NewFile &file) const
{
    file.write(std::vector<std::byte>(static_cast<std::size_t>(padding(file.size()))));
}

} // namespace fireside
