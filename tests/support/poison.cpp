#include "tests/support/poison.h"

#include "engine/core/error.h"
#include "engine/files/gguf.h"
#include "engine/tensor/blocks.h"
#include "engine/tensor/half.h"
#include "tests/support/gguf_builder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace fireside::test {
namespace {

/// Into a number, or into the scale of a block.
void put(DType type, std::byte *at, float value)
{
    if (info(type).blockElements > 1)
        return factorsOf(type).scale.set(at, value);
    const std::uint16_t half =
        type == DType::BF16 ? static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16)
                            : floatToHalf(std::isfinite(value) ? std::min(value, 65504.0f) : value);
    if (type == DType::F32)
        std::memcpy(at, &value, sizeof value);
    else
        std::memcpy(at, &half, sizeof half);
}

} // namespace

std::vector<Poison> poisonsOfF16()
{
    // Of the embedding a row that is read, and one that only gives a logit.
    std::vector<Poison> places{{"token_embd.weight", 300, 7, 0, "first in the embeddings"},
                               {"token_embd.weight", 77, 9, 0, "first in the output"},
                               {"output_norm.weight", 0, 200, 0, "first in the output"}};
    for (const char *layer : {"0", "1"}) {
        const std::string prefix = std::string("blk.") + layer + '.';
        const std::string where = std::string("first in layer ") + layer;
        for (const char *name : {"attn_norm", "ffn_norm"})
            places.push_back({prefix + name + ".weight", 0, 30, 0, where});
        for (const char *name :
             {"attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"})
            places.push_back({prefix + name + ".weight", 100, 255, 0, where});
    }
    std::vector<Poison> all;
    for (Poison &place : places)
        for (const float value :
             {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
              std::numeric_limits<float>::max()}) {
            place.value = value;
            all.push_back(place);
        }
    return all;
}

void writePoisoned(const std::filesystem::path &from, const Poison &poison,
                   const std::filesystem::path &to)
{
    const Gguf gguf = Gguf::open(from);
    const GgufTensor *const tensor = gguf.findTensor(poison.tensor);
    if (tensor == nullptr || !tensor->dtype)
        throw std::runtime_error("no tensor " + poison.tensor + " to poison");
    const DTypeInfo &type = info(*tensor->dtype);
    std::vector<std::byte> bytes = readFile(from);
    const std::size_t block = poison.row * (tensor->dims[0] / type.blockElements) + poison.column;
    put(type.type, &bytes[static_cast<std::size_t>(tensor->fileOffset) + block * type.blockBytes],
        poison.value);
    writeFile(to, bytes);
}

std::string badInputOf(const std::function<void()> &way)
{
    try {
        way();
    } catch (const Error &error) {
        EXPECT_EQ(error.kind(), ErrorKind::BadInput) << error.what();
        return error.what();
    }
    return {};
}

} // namespace fireside::test
