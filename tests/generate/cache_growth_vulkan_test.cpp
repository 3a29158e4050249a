#include "tests/generate/grown_cache.h"
#include "tests/support/golden.h"
#include "tests/support/require.h"
#include "tests/vulkan/lavapipe_device.h"

namespace fireside {
namespace {

using namespace test;

TEST(CacheGrowthVulkanTest, AsOneThatWasLargeFromTheBeginning)
{
    LavapipeDevice opened;
    if (!opened)
        FIRESIDE_SKIP("needs lavapipe (apt install mesa-vulkan-drivers)");
    const std::shared_ptr<Device> device = std::move(opened.device);
    const ModelFixture model(goldenGguf("f16"), [&] { return device; });
    for (const DType type : {DType::F16, DType::Q8_0})
        expectGrownAsWhole(model, type);
}

} // namespace
} // namespace fireside
