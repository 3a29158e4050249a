// The image is compressed with zstd. The other ways that squashfuse could read stay out of the
// runtime: they would only make it larger, and LZO's licence is not one for everybody.
#include <cstddef>
#include <cstdint>

extern "C" {
int lzo1x_decompress_safe(const unsigned char *, size_t, unsigned char *, size_t *, void *)
{
    return -1;
}
int LZ4_decompress_safe(const char *, char *, int, int)
{
    return -1;
}
int uncompress(unsigned char *, unsigned long *, const unsigned char *, unsigned long)
{
    return -3; // Z_DATA_ERROR
}
int lzma_stream_buffer_decode(uint64_t *, uint32_t, const void *, const uint8_t *, size_t *, size_t,
                              uint8_t *, size_t *, size_t)
{
    return 9; // LZMA_DATA_ERROR
}
}
