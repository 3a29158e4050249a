#pragma once
#include <brotli/encode.h>
#include <zlib.h>

#include <string>

// Texts as clients compress them, by the libraries of the formats.
namespace fireside::test {

inline std::string deflatedWith(const std::string &text, int windowBits)
{
    z_stream stream{};
    deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY);
    std::string out(deflateBound(&stream, static_cast<uLong>(text.size())) + 64, '\0');
    stream.next_in = reinterpret_cast<unsigned char *>(const_cast<char *>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<unsigned char *>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

inline std::string gzipped(const std::string &text)
{
    return deflatedWith(text, MAX_WBITS + 16);
}

inline std::string deflated(const std::string &text, bool withHeader)
{
    return deflatedWith(text, withHeader ? MAX_WBITS : -MAX_WBITS);
}

inline std::string brotlied(const std::string &text)
{
    std::size_t size = BrotliEncoderMaxCompressedSize(text.size()) + 64;
    std::string out(size, '\0');
    BrotliEncoderCompress(5, BROTLI_DEFAULT_WINDOW, BROTLI_MODE_GENERIC, text.size(),
                          reinterpret_cast<const unsigned char *>(text.data()), &size,
                          reinterpret_cast<unsigned char *>(out.data()));
    out.resize(size);
    return out;
}

} // namespace fireside::test
