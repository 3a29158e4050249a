#include "engine/files/mapped_file.h"

#include "engine/core/error.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/require.h"
#include "tests/support/temp_dir.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <optional>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace fireside {
namespace {

using test::TempDir;
using test::writeFile;

std::vector<std::byte> pattern(std::size_t size)
{
    std::vector<std::byte> bytes(size);
    for (std::size_t i = 0; i < size; ++i)
        bytes[i] = static_cast<std::byte>(i * 31 + 1);
    return bytes;
}

std::string errorOf(const std::filesystem::path &path,
                    std::optional<ErrorKind> kind = ErrorKind::Io)
{
    try {
        const MappedFile file(path);
    } catch (const Error &error) {
        EXPECT_EQ(error.kind(), *kind);
        return error.what();
    }
    ADD_FAILURE() << path << " was mapped";
    return {};
}

TEST(MappedFile, GivesTheBytesOfTheFile)
{
    const TempDir dir;
    const auto bytes = pattern(10'001);
    writeFile(dir / "model", bytes);
    const MappedFile file(dir / "model");
    EXPECT_EQ(std::vector(file.bytes().begin(), file.bytes().end()), bytes);
    EXPECT_EQ(file.path(), dir / "model");
    EXPECT_FALSE(file.changedOnDisk());
    EXPECT_FALSE(file.faulted());
}

TEST(MappedFile, EmptyFileIsAnEmptySpan)
{
    const TempDir dir;
    writeFile(dir / "empty", {});
    const MappedFile file(dir / "empty");
    EXPECT_TRUE(file.bytes().empty());
    EXPECT_FALSE(file.changedOnDisk());
}

TEST(MappedFile, MovesItsMap)
{
    const TempDir dir;
    writeFile(dir / "a", pattern(100));
    writeFile(dir / "b", pattern(200));
    MappedFile a(dir / "a");
    const auto *const data = a.bytes().data();
    MappedFile moved(std::move(a));
    EXPECT_EQ(moved.bytes().data(), data);
    EXPECT_TRUE(a.bytes().empty()); // NOLINT: moved-from is empty by contract
    moved = MappedFile(dir / "b");
    EXPECT_EQ(moved.bytes().size(), 200U);
    EXPECT_EQ(moved.path(), dir / "b");
}

TEST(MappedFile, ErrorsNamePathAndReason)
{
    const TempDir dir;
    const std::string missing = errorOf(dir / "missing.gguf");
    EXPECT_NE(missing.find("missing.gguf"), std::string::npos) << missing;
    EXPECT_NE(missing.find("No such file"), std::string::npos) << missing;

    const std::string folder = errorOf(dir.path());
    EXPECT_NE(folder.find("it is a folder"), std::string::npos) << folder;

    EXPECT_NE(errorOf("/dev/zero").find("not a regular file"), std::string::npos);

    // A pipe without a writer must not hang.
    ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
    EXPECT_NE(errorOf(dir / "pipe").find("not a regular file"), std::string::npos);

    if (::geteuid() != 0) {
        writeFile(dir / "secret", pattern(10));
        ASSERT_EQ(::chmod((dir / "secret").c_str(), 0), 0);
        EXPECT_NE(errorOf(dir / "secret").find("Permission denied"), std::string::npos);
    }
}

TEST(MappedFile, TooLittleAddressSpaceIsAMemoryErrorWithTheSize)
{
#if defined(FIRESIDE_ADDRESS_SANITIZER) || defined(FIRESIDE_THREAD_SANITIZER)
    FIRESIDE_SKIP("sanitizers need the address space");
#endif
    const TempDir dir;
    writeFile(dir / "huge", {});
    std::filesystem::resize_file(dir / "huge",
                                 20ULL << 30); // sparse
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
    const rlimit limited{8ULL << 30, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_AS, &limited), 0);
    const std::string text = errorOf(dir / "huge", ErrorKind::Memory);
    ASSERT_EQ(::setrlimit(RLIMIT_AS, &before), 0);
    EXPECT_NE(text.find("21 GB"), std::string::npos) << text;
}

TEST(MappedFile, SeesChangesOnDisk)
{
    const TempDir dir;
    const auto path = dir / "model";
    writeFile(path, pattern(5000));
    {
        const MappedFile file(path);
        std::filesystem::resize_file(path, 4999);
        EXPECT_TRUE(file.changedOnDisk());
    }
    {
        const MappedFile file(path);
        EXPECT_FALSE(file.changedOnDisk());
        std::filesystem::last_write_time(path, std::filesystem::last_write_time(path) +
                                                   std::chrono::nanoseconds(4'000'000));
        EXPECT_TRUE(file.changedOnDisk());
    }
    {
        const MappedFile file(path);
        writeFile(dir / "other", pattern(4999));
        std::filesystem::last_write_time(dir / "other", std::filesystem::last_write_time(path));
        std::filesystem::rename(dir / "other", path); // same size, same time, another file
        EXPECT_TRUE(file.changedOnDisk());
    }
    {
        const MappedFile file(path);
        std::filesystem::remove(path);
        EXPECT_TRUE(file.changedOnDisk());
    }
}

TEST(MappedFileGuard, TruncatedFileReadsAsZerosAndSetsTheFlags)
{
    installMappedFileGuard();
    const TempDir dir;
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const auto bytes = pattern(64 * page);
    writeFile(dir / "model", bytes);
    writeFile(dir / "other", bytes);
    const MappedFile file(dir / "model");
    const MappedFile other(dir / "other");
    std::filesystem::resize_file(dir / "model", page);

    const volatile std::byte *const data = file.bytes().data();
    EXPECT_EQ(std::byte{data[page - 1]}, bytes[page - 1]);
    EXPECT_FALSE(file.faulted());

    // Every thread of the process is covered, several at once too.
    std::vector<std::thread> threads;
    std::vector<int> sums(4, -1);
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            int sum = 0;
            for (std::size_t i = page; i < bytes.size(); i += page / 2)
                sum += static_cast<int>(data[i]);
            sums[static_cast<std::size_t>(t)] = sum;
        });
    for (std::thread &thread : threads)
        thread.join();
    EXPECT_EQ(sums, std::vector<int>(4, 0));
    EXPECT_TRUE(file.faulted());
    EXPECT_FALSE(other.faulted());
    EXPECT_TRUE(file.changedOnDisk());
    EXPECT_EQ(std::byte{data[page - 1]}, bytes[page - 1]); // what is still there stays readable
}

TEST(MappedFileGuard, ReusedEntriesForgetTheFault)
{
    installMappedFileGuard();
    const TempDir dir;
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    for (int round = 0; round < 3; ++round) {
        writeFile(dir / "model", pattern(2 * page));
        const MappedFile file(dir / "model");
        EXPECT_FALSE(file.faulted());
        std::filesystem::resize_file(dir / "model", 0);
        const volatile std::byte *const data = file.bytes().data();
        EXPECT_EQ(std::byte{data[0]}, std::byte{0});
        EXPECT_TRUE(file.faulted());
    }
}

TEST(MappedFileGuardDeathTest, OtherBusErrorsStillEndTheProgram)
{
    // Not a MappedFile: the handler has to pass it on to the default action.
    EXPECT_EXIT(
        {
            std::signal(SIGBUS, SIG_DFL); // without a sanitizer's own handler
            installMappedFileGuard();
            const TempDir dir;
            const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
            writeFile(dir / "file", pattern(page));
            const MappedFile beside(dir / "file"); // its pages are not the ones that fail
            writeFile(dir / "raw", pattern(page));
            std::FILE *const f = std::fopen((dir / "raw").c_str(), "rb");
            const void *const map = ::mmap(nullptr, page, PROT_READ, MAP_PRIVATE, ::fileno(f), 0);
            std::filesystem::resize_file(dir / "raw", 0);
            std::exit(static_cast<int>(*static_cast<const volatile unsigned char *>(map)));
        },
        testing::KilledBySignal(SIGBUS), "");
}

} // namespace
} // namespace fireside
