#include "engine/cpu/linear/weight_pages.h"

#include "engine/files/mapped_file.h"
#include "tests/support/temp_dir.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <linux/mempolicy.h>
#include <sstream>
#include <string>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace fireside::cpu {
namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20;

/// Word i of the file; each page has other contents.
std::uint64_t wordAt(std::size_t i)
{
    return i * 0x9E3779B97F4A7C15u;
}

/// Kilobytes that /proc/self/smaps gives for `field` of all maps that begin inside the memory.
std::uint64_t kilobytes(std::span<const std::byte> memory, const std::string &field)
{
    const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
    std::ifstream maps("/proc/self/smaps");
    std::uint64_t sum = 0;
    bool ours = false;
    for (std::string line; std::getline(maps, line);) {
        std::uintptr_t first = 0;
        char dash = 0;
        std::istringstream fields(line);
        if (std::isxdigit(static_cast<unsigned char>(line[0])) &&
            fields >> std::hex >> first >> dash && dash == '-')
            ours = first >= begin && first < begin + memory.size();
        else if (ours && line.rfind(field + ":", 0) == 0)
            sum += std::stoull(line.substr(field.size() + 1));
    }
    return sum;
}

class WeightPagesTest : public testing::Test
{
protected:
    static constexpr std::size_t kBytes = 70 * kMegabyte + 4321;

    WeightPagesTest()
    {
        std::vector<std::uint64_t> words(kBytes / sizeof(std::uint64_t) + 1);
        for (std::size_t i = 0; i < words.size(); ++i)
            words[i] = wordAt(i);
        std::ofstream(path, std::ios::binary)
            .write(reinterpret_cast<const char *>(words.data()), kBytes);
    }

    static WeightPages::Options options(WeightPages::When when, std::uint64_t mayTake = kBytes)
    {
        return {.when = when, .smallest = kMegabyte, .mayTake = [mayTake] { return mayTake; }};
    }

    /// Words that are not those of the file.
    static std::size_t wrong(std::span<const std::byte> bytes)
    {
        std::size_t count = 0;
        for (std::size_t i = 0; (i + 1) * 8 <= bytes.size(); ++i) {
            std::uint64_t word = 0;
            std::memcpy(&word, &bytes[i * 8], 8);
            count += word != wordAt(i);
        }
        return count;
    }

    test::TempDir folder;
    std::filesystem::path path = folder.path() / "weights";
};

TEST_F(WeightPagesTest, TheCopyTakesTheMapsPlace)
{
    const MappedFile file(path);
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(file.bytes().data()) % (2 * kMegabyte), 0u);
    WeightPages pages(options(WeightPages::When::AtOnce));
    pages.add(file.bytes());
    pages.start();
    EXPECT_EQ(pages.moved(), 70 * kMegabyte); // the rest is less than a page
    EXPECT_EQ(wrong(file.bytes()), 0u);
    EXPECT_GE(kilobytes(file.bytes(), "Anonymous"), 70 * 1024u);
    EXPECT_FALSE(file.faulted());
}

TEST_F(WeightPagesTest, PartsAreMovedWithTheGapsBetweenThem)
{
    const MappedFile file(path);
    WeightPages pages(options(WeightPages::When::AtOnce));
    // 10 to 30 in two parts, and 50 to 60: none begins with a page.
    pages.add(file.bytes().subspan(50 * kMegabyte - 64, 10 * kMegabyte));
    pages.add(file.bytes().subspan(20 * kMegabyte + 640, 10 * kMegabyte));
    pages.add(file.bytes().subspan(10 * kMegabyte - 64, 10 * kMegabyte));
    pages.start();
    EXPECT_EQ(pages.moved(), 28 * kMegabyte);
    EXPECT_EQ(wrong(file.bytes()), 0u);
    EXPECT_EQ(kilobytes(file.bytes(), "Anonymous"), 28 * 1024u);
}

/// What /proc/self/numa_maps gives as policy of the map that begins with the memory.
std::string policyOf(const std::byte *memory)
{
    std::ifstream maps("/proc/self/numa_maps");
    std::uintptr_t begin = 0;
    std::string policy;
    for (std::string line; std::getline(maps, line);)
        if (std::istringstream(line) >> std::hex >> begin >> policy &&
            begin == reinterpret_cast<std::uintptr_t>(memory))
            return policy;
    return {};
}

/// Whether the system has nodes and lets a program choose among them.
bool maySpread()
{
    void *const page = ::mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const unsigned long first = 1;
    const bool may = ::syscall(SYS_mbind, page, 4096, MPOL_INTERLEAVE, &first, 65, 0) == 0;
    ::munmap(page, 4096);
    return may && std::ifstream("/proc/self/numa_maps").good();
}

TEST_F(WeightPagesTest, CopiesLieOnTheNodesInTurn)
{
    for (const bool several : {false, true}) {
        const MappedFile file(path);
        WeightPages::Options wanted = options(WeightPages::When::AtOnce);
        wanted.nodes.assign(several ? 2 : 1, 0); // there may be one only
        WeightPages pages(wanted);
        pages.add(file.bytes());
        pages.start();
        EXPECT_EQ(pages.moved(), 70 * kMegabyte);
        EXPECT_EQ(wrong(file.bytes()), 0u);
        if (maySpread()) {
            EXPECT_EQ(policyOf(file.bytes().data()), several ? "interleave:0" : "default");
        }
    }
}

TEST_F(WeightPagesTest, ReadersNeverSeeAnythingElse)
{
    for (int round = 0; round < 3; ++round) {
        const MappedFile file(path);
        WeightPages pages(options(WeightPages::When::Background));
        pages.add(file.bytes());
        std::atomic<std::size_t> seen{0};
        std::jthread reader([&](const std::stop_token &stop) {
            do
                seen += wrong(file.bytes());
            while (!stop.stop_requested());
        });
        pages.start();
        while (pages.moved() < 70 * kMegabyte)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        reader.request_stop();
        reader.join();
        EXPECT_EQ(seen, 0u);
        EXPECT_EQ(wrong(file.bytes()), 0u);
    }
}

TEST_F(WeightPagesTest, OnlyWhatMayBeTakenIsTaken)
{
    const MappedFile file(path);
    WeightPages pages(options(WeightPages::When::AtOnce, 33 * kMegabyte));
    pages.add(file.bytes());
    pages.start();
    EXPECT_EQ(pages.moved(), 32 * kMegabyte);
    EXPECT_EQ(wrong(file.bytes()), 0u);

    WeightPages unknown({.when = WeightPages::When::AtOnce, .smallest = kMegabyte, .mayTake = [] {
                             return std::optional<std::uint64_t>();
                         }});
    unknown.add(file.bytes());
    unknown.start();
    EXPECT_EQ(unknown.moved(), 0u);
}

TEST_F(WeightPagesTest, SmallModelsStayInTheFile)
{
    const MappedFile file(path);
    WeightPages pages({.when = WeightPages::When::AtOnce, .smallest = kBytes + 1, .mayTake = [] {
                           return std::uint64_t{kBytes};
                       }});
    pages.add(file.bytes());
    pages.start();
    EXPECT_EQ(pages.moved(), 0u);
    EXPECT_EQ(kilobytes(file.bytes(), "Anonymous"), 0u);
}

TEST_F(WeightPagesTest, MemoryOfTheProgramStaysWritable)
{
    std::vector<std::byte> own(40 * kMegabyte, std::byte{7});
    WeightPages pages(options(WeightPages::When::AtOnce));
    pages.add(own);
    pages.start();
    EXPECT_EQ(pages.moved(), 0u);
    std::fill(own.begin(), own.end(), std::byte{8}); // ends the program where it is read-only
    EXPECT_EQ(own[20 * kMegabyte], std::byte{8});
}

TEST_F(WeightPagesTest, AFileThatIsCutMeanwhileIsNoticed)
{
    const MappedFile file(path);
    std::filesystem::resize_file(path, 20 * kMegabyte);
    WeightPages pages(options(WeightPages::When::AtOnce));
    pages.add(file.bytes());
    pages.start();
    EXPECT_TRUE(file.faulted());
    EXPECT_EQ(wrong(file.bytes().first(16 * kMegabyte)), 0u);
}

TEST_F(WeightPagesTest, NothingMovesAfterStop)
{
    const MappedFile file(path);
    WeightPages pages(options(WeightPages::When::Background));
    pages.add(file.bytes());
    pages.start();
    pages.stop();
    const std::uint64_t then = pages.moved();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(pages.moved(), then);
    pages.start(); // what it knew is forgotten
    EXPECT_EQ(pages.moved(), then);
}

} // namespace
} // namespace fireside::cpu
