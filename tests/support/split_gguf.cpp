#include "tests/support/split_gguf.h"

#include "engine/files/gguf.h"

#include <cstdio>

namespace fireside::test {

std::vector<GgufBuilder> splitGguf(const std::filesystem::path &gguf, std::size_t parts,
                                   bool emptyFirst)
{
    const Gguf whole = Gguf::open(gguf);
    const std::span<const std::byte> bytes = whole.file().bytes();
    // Keys end where the entry of the first tensor begins: with the length of its name.
    constexpr std::size_t kKeysAt = 24, kLength = 8;
    const auto end = static_cast<std::size_t>(
        reinterpret_cast<const std::byte *>(whole.tensors().front().name.data()) - bytes.data());
    std::vector<GgufBuilder> made(parts);
    made[0].metadata(bytes.subspan(kKeysAt, end - kLength - kKeysAt), whole.metadata().size());
    for (std::size_t p = 0; p < parts; ++p)
        made[p]
            .u16("split.no", static_cast<std::uint16_t>(p))
            .u16("split.count", static_cast<std::uint16_t>(parts))
            .i32("split.tensors.count", static_cast<std::int32_t>(whole.tensors().size()));
    const std::size_t first = emptyFirst ? 1 : 0;
    for (std::size_t i = 0; i < whole.tensors().size(); ++i) {
        const GgufTensor &t = whole.tensors()[i];
        const std::size_t part = first + i * (parts - first) / whole.tensors().size();
        made[part].tensor(t.name, *t.dtype, {t.dims.begin(), t.dims.begin() + t.rank}, t.bytes);
    }
    return made;
}

std::string splitName(const std::string &stem, std::size_t number, std::size_t count)
{
    char text[64];
    std::snprintf(text, sizeof text, "-%05zu-of-%05zu.gguf", number, count);
    return stem + text;
}

} // namespace fireside::test
