#include "engine/core/private_folder.h"

#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sys/stat.h>

namespace fireside {
namespace {

namespace fs = std::filesystem;

TEST(PrivateFolder, IsForItsOwnerAlone)
{
    const test::TempDir dir;
    const mode_t mask = ::umask(0);
    const fs::path folder = dir / "a" / "b" / "c";
    EXPECT_FALSE(makePrivateFolder(folder));
    EXPECT_EQ(fs::status(folder).permissions(), fs::perms::owner_all);
    fs::permissions(folder, fs::perms(0750));
    EXPECT_FALSE(makePrivateFolder(folder));
    EXPECT_EQ(fs::status(folder).permissions(), fs::perms(0750)) << "the user's own choice";
    EXPECT_FALSE(makePrivateFolder({}));
    ::umask(mask);
}

TEST(PrivateFolder, SaysWhyItCannotBeMade)
{
    const test::TempDir dir;
    std::ofstream(dir / "file") << "x";
    EXPECT_EQ(makePrivateFolder(dir / "file"), std::errc::file_exists);
    EXPECT_TRUE(makePrivateFolder(dir / "file" / "a"));
}

} // namespace
} // namespace fireside
