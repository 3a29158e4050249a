#include "tests/support/starter.h"

namespace fireside::test {

std::filesystem::path starterModel()
{
    return std::filesystem::path(FIRESIDE_TEST_DATA).parent_path().parent_path() /
           "resources/models/fireside-starter-29m-q5_k_m.gguf";
}

} // namespace fireside::test
