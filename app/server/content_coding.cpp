#include "app/server/content_coding.h"

#include "app/server/parameters.h"

#include <brotli/decode.h>
#include <zlib.h>

#include <memory>

namespace fireside::server {
namespace {

constexpr std::size_t kPieceBytes = 64 << 10;

/// What comes out of a decoder, never more than the limit.
class LimitedText
{
public:
    explicit LimitedText(std::size_t maxBytes)
        : m_maxBytes(maxBytes)
    {}
    void append(const unsigned char *bytes, std::size_t size)
    {
        if (size > m_maxBytes - m_text.size())
            throw ApiError(413, "the body is too large when it is decompressed: it may have " +
                                    std::to_string(m_maxBytes) + " bytes");
        m_text.append(reinterpret_cast<const char *>(bytes), size);
    }
    std::string take() { return std::move(m_text); }

private:
    const std::size_t m_maxBytes;
    std::string m_text;
};

[[noreturn]] void throwBroken(const std::string &coding)
{
    throw ApiError(400, "the body is not " + coding + ", as its Content-Encoding says, or is cut");
}

const unsigned char *zlibBytes(const std::string &text)
{
    return reinterpret_cast<const unsigned char *>(text.data());
}

/// "deflate" is zlib's format; many clients send it without zlib's header.
int windowBits(const std::string &coding, const std::string &body)
{
    constexpr int kGzip = 16;
    if (coding != "deflate")
        return MAX_WBITS + kGzip;
    const unsigned first = body.empty() ? 0u : zlibBytes(body)[0];
    const unsigned second = body.size() < 2 ? 0u : zlibBytes(body)[1];
    const bool header = (first & 15u) == 8 && (first * 256 + second) % 31 == 0;
    return header ? MAX_WBITS : -MAX_WBITS;
}

std::string inflated(const std::string &body, const std::string &coding, std::size_t maxBytes)
{
    z_stream stream{};
    if (inflateInit2(&stream, windowBits(coding, body)) != Z_OK)
        throw std::bad_alloc();
    const std::unique_ptr<z_stream, int (*)(z_stream *)> owner(&stream, inflateEnd);
    LimitedText text(maxBytes);
    unsigned char piece[kPieceBytes];
    stream.next_in = const_cast<unsigned char *>(zlibBytes(body)); // zlib does not change it
    stream.avail_in = static_cast<uInt>(body.size());
    for (;;) {
        stream.next_out = piece;
        stream.avail_out = sizeof piece;
        const int result = inflate(&stream, Z_NO_FLUSH);
        text.append(piece, sizeof piece - stream.avail_out);
        if (result == Z_MEM_ERROR)
            throw std::bad_alloc();
        if (result == Z_STREAM_END && stream.avail_in == 0)
            return text.take();
        if (result == Z_STREAM_END && coding != "deflate") {
            if (inflateReset(&stream) != Z_OK) // gzip files may be joined
                throwBroken(coding);
        } else if (result != Z_OK) {
            throwBroken(coding);
        }
    }
}

std::string unbrotlied(const std::string &body, std::size_t maxBytes)
{
    const std::unique_ptr<BrotliDecoderState, void (*)(BrotliDecoderState *)> state(
        BrotliDecoderCreateInstance(nullptr, nullptr, nullptr), BrotliDecoderDestroyInstance);
    if (!state)
        throw std::bad_alloc();
    LimitedText text(maxBytes);
    unsigned char piece[kPieceBytes];
    std::size_t left = body.size();
    const unsigned char *next = zlibBytes(body);
    for (;;) {
        std::size_t room = sizeof piece;
        unsigned char *out = piece;
        const BrotliDecoderResult result =
            BrotliDecoderDecompressStream(state.get(), &left, &next, &room, &out, nullptr);
        text.append(piece, sizeof piece - room);
        if (result == BROTLI_DECODER_RESULT_SUCCESS && left == 0)
            return text.take();
        if (result != BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT)
            throwBroken("br");
    }
}

} // namespace

bool isKnownCoding(std::string_view coding)
{
    return coding == "gzip" || coding == "x-gzip" || coding == "deflate" || coding == "br";
}

std::string knownCodings()
{
    return "br, deflate and gzip";
}

std::string decodedBody(std::string body, std::span<const std::string> codings,
                        std::size_t maxBytes)
{
    for (std::size_t i = codings.size(); i-- > 0;)
        body =
            codings[i] == "br" ? unbrotlied(body, maxBytes) : inflated(body, codings[i], maxBytes);
    return body;
}

} // namespace fireside::server
