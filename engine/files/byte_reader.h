#pragma once
#include "engine/core/quote.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fireside {

/// Cursor over the bytes of a file from outside: every read is checked against what remains. Errors
/// are Error(BadInput) "PATH: WHAT at offset N …". Little-endian values, as on every host we build
/// for.
class ByteReader
{
public:
    ByteReader(std::span<const std::byte> bytes, const std::filesystem::path &path)
        : m_bytes(bytes)
        , m_path(path)
    {}

    std::size_t offset() const { return m_offset; }
    std::size_t remaining() const { return m_bytes.size() - m_offset; }

    /// `what` names the value in errors, e.g. "tensor count".
    template <typename T>
    requires std::integral<T> || std::floating_point<T> T read(std::string_view what)
    {
        T value;
        if (sizeof(T) > remaining())
            take(sizeof(T), what); // says so
        std::memcpy(&value, m_bytes.data() + m_offset, sizeof(T));
        m_offset += sizeof(T);
        return value;
    }
    std::span<const std::byte> take(std::uint64_t count, std::string_view what);
    /// A 64-bit length and that many bytes; longer than `limit` is an error.
    std::string_view readString(std::uint64_t limit, std::string_view what);
    /// `count` of them, one behind the other; vocabularies are long.
    std::vector<std::string_view> readStrings(std::size_t count, std::string_view what);

    [[noreturn]] void fail(const std::string &text) const; // adds the path

private:
    std::span<const std::byte> m_bytes;
    const std::filesystem::path &m_path;
    std::size_t m_offset = 0;
};

} // namespace fireside
