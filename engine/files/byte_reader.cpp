#include "engine/files/byte_reader.h"

#include "engine/core/error.h"

#include <bit>

namespace fireside {

static_assert(std::endian::native == std::endian::little,
              "model files are read without byte swapping");

void ByteReader::fail(const std::string &text) const
{
    throwBadInput(m_path.string() + ": " + text);
}

std::span<const std::byte> ByteReader::take(std::uint64_t count, std::string_view what)
{
    if (count > remaining())
        fail("the file ends inside the " + std::string(what) + " at offset " +
             std::to_string(m_offset) + ": " + std::to_string(count) + " bytes needed, " +
             std::to_string(remaining()) + " left");
    const auto bytes = m_bytes.subspan(m_offset, static_cast<std::size_t>(count));
    m_offset += static_cast<std::size_t>(count);
    return bytes;
}

std::string_view ByteReader::readString(std::uint64_t limit, std::string_view what)
{
    const std::size_t start = m_offset;
    const auto length = read<std::uint64_t>(what);
    if (length > limit)
        fail("the " + std::string(what) + " at offset " + std::to_string(start) + " claims " +
             std::to_string(length) + " bytes, at most " + std::to_string(limit) + " are allowed");
    const auto bytes = take(length, what);
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

std::vector<std::string_view> ByteReader::readStrings(std::size_t count, std::string_view what)
{
    std::vector<std::string_view> texts(count);
    std::size_t at = m_offset;
    for (std::string_view &text : texts) {
        std::uint64_t length = 0;
        const std::size_t left = m_bytes.size() - at;
        if (left >= sizeof length)
            std::memcpy(&length, m_bytes.data() + at, sizeof length);
        if (left < sizeof length || length > left - sizeof length) {
            m_offset = at;
            readString(left, what); // says what is wrong
        }
        at += sizeof length;
        text = {reinterpret_cast<const char *>(m_bytes.data() + at),
                static_cast<std::size_t>(length)};
        at += static_cast<std::size_t>(length);
    }
    m_offset = at;
    return texts;
}

} // namespace fireside
