#include "tests/support/starter.h"

#include "tests/support/golden.h"

namespace fireside::test {

std::filesystem::path starterModel()
{
    constexpr const char *kPlace = "resources/models/fireside-starter-29m-q5_k_m.gguf";
    const std::filesystem::path carried = testData().parent_path().parent_path() / kPlace;
    return std::filesystem::exists(carried) ? carried
                                            : std::filesystem::path(FIRESIDE_SOURCE_DIR) / kPlace;
}

} // namespace fireside::test
