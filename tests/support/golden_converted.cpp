#include "tests/support/golden_converted.h"

#include "engine/files/gguf.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/gguf_from_folder.h"
#include "tests/support/golden.h"
#include "tests/support/golden_recipe.h"
#include "tests/support/temp_dir.h"

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include <unistd.h>

namespace fireside::test {
namespace {

std::vector<std::byte> assemble(const std::filesystem::path &folder)
{
    const TempDir dir;
    writeGgufOf(folder, dir / "model.gguf");
    const Gguf ours = Gguf::open(dir / "model.gguf");
    std::ifstream list(folder / "converted.txt");
    std::size_t size = 0;
    list >> size;
    std::vector<std::byte> file = readFile(folder / "converted.header");
    file.resize(std::max(size, file.size()));
    std::string tensor;
    std::size_t offset = 0;
    std::uint64_t hash = 0;
    while (list >> tensor >> std::dec >> offset >> std::hex >> hash) {
        const GgufTensor *const own = ours.findTensor(tensor);
        if (own == nullptr)
            throw std::runtime_error(folder.string() + ": the engine writes no " + tensor);
        if (fnv1a(own->bytes) != hash)
            throw std::runtime_error(folder.string() + ": other bytes in " + tensor);
        if (offset + own->bytes.size() > file.size())
            throw std::runtime_error(folder.string() + ": more bytes in " + tensor);
        std::copy(own->bytes.begin(), own->bytes.end(),
                  file.begin() + static_cast<std::ptrdiff_t>(offset));
    }
    return file;
}

} // namespace

const std::vector<std::string> &goldenConvertedNames()
{
    static const std::vector<std::string> names{"llama-linear-rope",
                                                "bloom",
                                                "ernie4.5",
                                                "falcon",
                                                "gemma",
                                                "gemma2",
                                                "qwen3",
                                                "qwen3-moe",
                                                "seed-oss",
                                                "gpt-bigcode",
                                                "llama-attn-bias",
                                                "qwen2-moe",
                                                "smollm3",
                                                "stablelm",
                                                "starcoder2"};
    return names;
}

std::filesystem::path goldenConverted(const std::string &name)
{
    const std::filesystem::path folder = goldenFolder(name);
    const std::filesystem::path target = folder / "model.gguf";
    if (!std::filesystem::exists(target)) {
        const std::filesystem::path own = folder / ("model.gguf." + std::to_string(::getpid()));
        writeFile(own, assemble(folder));
        std::filesystem::rename(own, target);
    }
    return target;
}

} // namespace fireside::test
