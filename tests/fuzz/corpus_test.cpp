// Every input that was ever kept runs once through its target: each found something, or leads a
// fuzzer into the depths of a parser.
#include "tests/fuzz/target.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace fireside::fuzz {
namespace {

class FuzzCorpusTest : public testing::TestWithParam<Target>
{};

TEST_P(FuzzCorpusTest, EveryInputEndsWell)
{
    const Target &target = GetParam();
    const auto folder =
        std::filesystem::path(FIRESIDE_SOURCE_DIR "/tests/fuzz/corpus") / target.name;
    std::vector<std::filesystem::path> files;
    for (const auto &entry : std::filesystem::directory_iterator(folder))
        files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    ASSERT_FALSE(files.empty());
    target.run({});
    for (const std::filesystem::path &path : files) {
        SCOPED_TRACE(path.string());
        std::ifstream in(path, std::ios::binary);
        const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
        EXPECT_NO_THROW(
            target.run({reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size()}));
        // … and cut anywhere near its middle and end.
        for (const std::size_t part : {bytes.size() / 2, bytes.size() * 9 / 10})
            EXPECT_NO_THROW(
                target.run({reinterpret_cast<const std::uint8_t *>(bytes.data()), part}));
    }
}

INSTANTIATE_TEST_SUITE_P(All, FuzzCorpusTest, testing::ValuesIn(targets()),
                         [](const auto &each) { return std::string(each.param.name); });

} // namespace
} // namespace fireside::fuzz
