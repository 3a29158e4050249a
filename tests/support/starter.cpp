#include "tests/support/starter.h"

#include "tests/support/golden.h"

namespace fireside::test {

std::filesystem::path starterModel()
{
    return testData().parent_path().parent_path() /
           "resources/models/fireside-starter-29m-q5_k_m.gguf";
}

} // namespace fireside::test
