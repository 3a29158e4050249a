// What a graphics card computed is taken over bit by bit.
#include "tests/generate/kept_chat.h"
#include "tests/support/golden.h"
#include "tests/support/require.h"
#include "tests/support/temp_dir.h"
#include "tests/vulkan/lavapipe_device.h"

namespace fireside {
namespace {

using namespace test;

TEST(PrefixCacheVulkanTest, WhatIsTakenOverIsAsComputed)
{
    const TempDir folder;
    LavapipeDevice opened;
    if (!opened)
        FIRESIDE_SKIP("needs lavapipe (apt install mesa-vulkan-drivers)");
    const std::shared_ptr<Device> device = std::move(opened.device);
    const ModelFixture dense(goldenGguf("f16"), [&] { return device; });
    for (const DType type : {DType::F16, DType::Q8_0})
        expectTakenOverAsComputed(dense, type, folder.path() / name(type), 70);
    for (const char *name : {"gemma4", "qwen3.5"}) {
        const auto path = goldenFolder(name);
        SCOPED_TRACE(name);
        const ModelFixture other(path, [&] { return device; });
        expectTakenOverAsComputed(other, DType::F16, folder.path() / name, 70);
    }
}

} // namespace
} // namespace fireside
