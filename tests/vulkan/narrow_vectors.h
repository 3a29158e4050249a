#pragma once
#include "tests/support/scoped_env.h"

#include <cstdlib>
#include <optional>

namespace fireside::test {

/// For suites of emulated matrices, as long as they run: LLVM 19, as Debian 13's driver has it,
/// ends the process over these kernels where compute units have AVX-512 and vectors of 256 bits are
/// asked for ("Cannot emit physreg copy instruction"). The driver reads this once, so it helps
/// where no test before has opened a device, and then holds for those after.
template <typename Suite>
class WithNarrowVectors : public Suite
{
public:
    static void SetUpTestSuite()
    {
        constexpr const char *kWidth = "LP_NATIVE_VECTOR_WIDTH";
        if (std::getenv(kWidth) == nullptr)
            s_width.emplace(kWidth, "128");
    }
    static void TearDownTestSuite() { s_width.reset(); }

private:
    static inline std::optional<ScopedEnv> s_width;
};

} // namespace fireside::test
