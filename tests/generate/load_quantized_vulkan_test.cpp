// Weights that become other types on their way to a graphics processor.
#include "engine/engine.h"
#include "engine/model/quantize/recipe.h"
#include "tests/support/golden.h"
#include "tests/support/require.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace fireside {
namespace {

TEST(LoadQuantizedVulkanTest, ComputesWhatTheCpuDoes)
{
    Engine engine;
    const auto &devices = engine.devices();
    if (std::none_of(devices.begin(), devices.end(), [](const DeviceReport &report) {
            return report.kind == BackendKind::Vulkan && report.available;
        }))
        FIRESIDE_SKIP("no Vulkan device");
    const auto logitsOn = [&](BackendKind backend) {
        const auto model = engine.load(test::goldenGguf("f16"), {.backend = backend,
                                                                 .context = 64,
                                                                 .kvType = DType::F32,
                                                                 .threads = 2,
                                                                 .quantize = findRecipe("Q4_K_M"),
                                                                 .idsOnly = true});
        EXPECT_EQ(model->summary().quantisedTo, "Q4_K_M");
        std::vector<float> logits;
        const std::vector<TokenId> ids{30, 17, 40, 44, 5, 99, 12, 25};
        model->newSession()->appendAll(ids, logits);
        return logits;
    };
    EXPECT_GT(test::cosineSimilarity(logitsOn(BackendKind::Vulkan), logitsOn(BackendKind::Cpu)),
              0.998);
}

} // namespace
} // namespace fireside
