#pragma once
#include "engine/files/byte_reader.h"
#include "engine/files/gguf.h"

namespace fireside {

/// Reads the header of a GGUF file top to bottom and fills a Gguf, checking everything on the way.
class GgufParser
{
public:
    explicit GgufParser(Gguf &gguf);
    void parse(); // throws Error

private:
    void readIdentity();
    void readMetadata(std::uint64_t count);
    GgufValue readValue(std::uint32_t type, std::string_view key);
    GgufArray readArray(std::string_view key);
    std::size_t readArraySize(std::string_view key, std::uint32_t elementType);
    bool readBool(std::string_view key, std::string_view what);
    void readTensors(std::uint64_t count);
    GgufTensor readTensor();
    void placeTensors();
    void checkCover() const;
    bool dataMayBeShifted(std::uint64_t end) const;
    std::uint64_t alignment() const;

    Gguf &m_gguf;
    ByteReader m_reader;
    std::uint64_t m_arrayElements = 0; // of all arrays so far
    std::uint64_t m_headerEnd = 0;     // without padding
};

/// "u32", "string", …; "type 77" when unknown.
std::string ggufTypeName(std::uint32_t type);

} // namespace fireside
