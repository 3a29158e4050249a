#include "tests/support/starter.h"

#include "engine/convert/quantize_file.h"
#include "engine/model/quantize/recipe.h"
#include "tests/support/golden.h"

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

} // namespace fireside::test
