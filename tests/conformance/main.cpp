// Every op on every device against plain references.
//
// Environment: FIRESIDE_CONFORMANCE_DEVICES (ids as "cpu,vulkan:0"; "all"; "lavapipe": only that),
// _SEED, _THOROUGH, for Vulkan _WITHOUT (features not to use, separated by commas), _STAGED,
// _LARGEST_ALLOCATION, _MEMORY_LIMIT (bytes), _PIPELINES (a folder to keep compiled pipelines in),
// _VALIDATION (run under the validation layer, which must have nothing to say), _ROUNDS, _PAIRS (a
// folder where processes leave the pairs they met; `--merge FOLDER` adds them up).
#include "engine/core/error.h"
#include "tests/conformance/pairs.h"
#include "tests/conformance/statistics.h"
#include "tests/conformance/target.h"
#include "tests/support/require.h"
#include "tests/support/validation_log.h"
#include "tests/vulkan/lavapipe.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>

namespace {

/// What the run has to say at its end, and whether all is well.
bool report()
{
    using namespace fireside::conformance;
    if (const char *const folder = std::getenv("FIRESIDE_CONFORMANCE_PAIRS"))
        writePairs(folder);
    std::printf("%s%sseed %u\n", pairsMet().table().c_str(), statisticsTable().c_str(), seed());
    if (skippedCases() > 0) // every device has every op
        std::puts("cases were skipped as unsupported");
    if (pairsMet().missing() > 0)
        std::printf("%lld pairs of options were not met in a thorough run\n",
                    static_cast<long long>(pairsMet().missing()));
    return skippedCases() == 0 && pairsMet().missing() == 0;
}

} // namespace

int main(int count, char **arguments)
{
    using namespace fireside;
    constexpr int kSkipped = 77;
    if (count == 3 && std::string(arguments[1]) == "--merge")
        return conformance::mergePairs(arguments[2]) ? 0 : 1;
    const char *const devices = std::getenv("FIRESIDE_CONFORMANCE_DEVICES");
    std::unique_ptr<test::Lavapipe::Selection> onlyLavapipe;
    std::optional<test::ScopedEnv> itsId;
    if (devices != nullptr && std::string(devices) == "lavapipe") {
        const test::Lavapipe lavapipe;
        if (!lavapipe.present()) {
            std::puts("skipped: needs lavapipe (apt install mesa-vulkan-drivers)");
            return test::skipsAreFailures() ? 1 : kSkipped;
        }
        onlyLavapipe = lavapipe.select();
        itsId.emplace("FIRESIDE_CONFORMANCE_DEVICES", "vulkan:0");
    }
    std::optional<test::ValidationLog> validation;
    if (std::getenv("FIRESIDE_CONFORMANCE_VALIDATION") != nullptr) {
        if (test::ValidationLog::layerPresent()) {
            validation.emplace();
        } else {
            std::puts("without validation layer (apt install vulkan-validationlayers)");
            if (test::skipsAreFailures())
                return 1;
        }
    }
    int result = 1;
    try {
        testing::InitGoogleTest(&count, arguments);
        result = RUN_ALL_TESTS();
        if (testing::UnitTest::GetInstance()->test_to_run_count() == 0 &&
            std::getenv("GTEST_TOTAL_SHARDS") == nullptr) {
            std::puts("no test has such a name");
            result = 1;
        }
        conformance::closeTargets();
        result = report() ? result : 1;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    if (validation) {
        const std::string log = validation->text();
        std::printf("validation layer: %s\n", log.empty() ? "nothing to say" : log.c_str());
        if (!log.empty())
            result = 1;
    }
    return result;
}
