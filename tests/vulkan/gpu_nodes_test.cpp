#include "engine/vulkan/probe/gpu_nodes.h"

#include "tests/support/gguf_builder.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fireside::vulkan {
namespace {

using test::TempDir;

bool contains(const std::string &text, const std::string &part)
{
    return text.find(part) != std::string::npos;
}

TEST(GpuNodes, AreFoundWithTheirVendor)
{
    const TempDir dir;
    std::filesystem::create_directories(dir / "dri/by-path");
    test::writeFile(dir / "dri/card0", {});
    test::writeFile(dir / "dri/renderD129", {});
    test::writeFile(dir / "dri/renderD128", {});
    std::filesystem::create_directories(dir / "drm/renderD128/device");
    const std::string vendor = "0x10de\n";
    test::writeFile(dir / "drm/renderD128/device/vendor", std::as_bytes(std::span(vendor)));
    const auto nodes = findGpuNodes(dir.path(), dir / "drm");
    ASSERT_EQ(nodes.size(), 2U);
    EXPECT_EQ(nodes[0].path, dir / "dri/renderD128");
    EXPECT_EQ(nodes[0].vendor, 0x10deU);
    EXPECT_TRUE(nodes[0].accessible);
    EXPECT_FALSE(nodes[0].group.empty());
    EXPECT_EQ(nodes[1].vendor, 0U);
    test::writeFile(dir / "nvidiactl", {});
    const auto withNvidia = findGpuNodes(dir.path(), dir / "drm");
    ASSERT_EQ(withNvidia.size(), 3U);
    EXPECT_EQ(withNvidia[2].path, dir / "nvidiactl");
    EXPECT_EQ(withNvidia[2].vendor, 0x10deU);
    if (::geteuid() != 0) {
        ASSERT_EQ(::chmod((dir / "dri/renderD128").c_str(), 0), 0);
        EXPECT_FALSE(findGpuNodes(dir.path(), dir / "drm")[0].accessible);
    }
}

TEST(GpuNodes, NoFolderIsNoNodes)
{
    EXPECT_TRUE(findGpuNodes("/nonexistent", "/nonexistent/drm").empty());
}

TEST(GpuNodes, AdviceFitsWhatIsThere)
{
    EXPECT_TRUE(contains(driverAdvice({}), "no GPU device file"));
    const std::string refused = driverAdvice({{"/dev/dri/renderD128", true, "render", 0x8086},
                                              {"/dev/dri/renderD129", false, "render", 0x1002}});
    EXPECT_TRUE(contains(refused, "may not open /dev/dri/renderD129")) << refused;
    EXPECT_TRUE(contains(refused, "usermod -aG render")) << refused;
    EXPECT_TRUE(
        contains(driverAdvice({{"/dev/dri/renderD128", true, "render", 0x10de}}), "NVIDIA"));
    EXPECT_TRUE(contains(driverAdvice({{"/dev/nvidiactl", true, "root", 0x10de}}), "NVIDIA"));
    EXPECT_TRUE(contains(driverAdvice({{"/dev/dri/renderD128", true, "render", 0x1002}}),
                         "mesa-vulkan-drivers"));
}

} // namespace
} // namespace fireside::vulkan
