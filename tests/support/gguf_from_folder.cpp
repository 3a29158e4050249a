#include "tests/support/gguf_from_folder.h"

#include "engine/convert/quantize_file.h"

namespace fireside::test {

void writeGgufOf(const std::filesystem::path &folder, const std::filesystem::path &gguf)
{
    quantizeFile({.source = folder, .target = gguf, .recipe = nullptr, .threads = 1});
}

} // namespace fireside::test
