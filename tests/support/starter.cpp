#include "tests/support/starter.h"

#include "engine/convert/quantize_file.h"
#include "engine/model/quantize/recipe.h"
#include "tests/support/golden.h"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace fireside::test {

std::filesystem::path starterModel()
{
    constexpr const char *kPlace = "resources/models/fireside-starter-29m-q5_k_m.gguf";
    const std::filesystem::path carried = testData().parent_path().parent_path() / kPlace;
    return std::filesystem::exists(carried) ? carried
                                            : std::filesystem::path(FIRESIDE_SOURCE_DIR) / kPlace;
}

std::filesystem::path starterModelInF32(const TempDir &folder)
{
    const std::filesystem::path file = folder / "starter-f32.gguf";
    quantizeFile({.source = starterModel(),
                  .target = file,
                  .recipe = findRecipe("F32"),
                  .threads = 2,
                  .requantize = true});
    return file;
}

std::filesystem::path starterWithTemplate(const TempDir &folder, const std::string &name,
                                          const std::string &chatTemplate)
{
    constexpr std::string_view kKey = "tokenizer.chat_template";
    constexpr std::size_t kAlignment = 32; // of the tensors behind the header
    std::stringstream bytes;
    bytes << std::ifstream(starterModel(), std::ios::binary).rdbuf();
    std::string file = bytes.str();
    const std::size_t key = file.find(kKey);
    if (key == std::string::npos)
        throw std::runtime_error("the starter model has no chat template");
    const std::size_t length = key + kKey.size() + sizeof(std::uint32_t); // behind the type
    std::uint64_t old = 0;
    std::memcpy(&old, file.data() + length, sizeof old);
    const bool blank = chatTemplate.empty(); // which a comment would not be
    std::string text = chatTemplate + (blank ? "" : "{#");
    const std::string end = blank ? "" : "#}";
    while ((text.size() + end.size()) % kAlignment != old % kAlignment)
        text += ' ';
    text += end;
    const std::uint64_t size = text.size();
    std::memcpy(file.data() + length, &size, sizeof size);
    file.replace(length + sizeof size, old, text);
    const std::filesystem::path path = folder / (name + ".gguf");
    std::ofstream(path, std::ios::binary) << file;
    return path;
}

} // namespace fireside::test
