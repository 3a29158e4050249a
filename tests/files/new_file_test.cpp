// What a new file may take the place of: a regular file, and what a link leads to.
#include "engine/core/error.h"
#include "engine/files/new_file.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

namespace fireside {
namespace {

namespace fs = std::filesystem;

class NewFileTest : public testing::Test
{
protected:
    static void write(const fs::path &path, NewFile::Existing existing)
    {
        NewFile file(path, existing);
        file.write(std::as_bytes(std::span("new", 3)));
        file.keep();
    }
    static std::string refusal(const fs::path &path, NewFile::Existing existing)
    {
        try {
            write(path, existing);
        } catch (const Error &error) {
            return error.what();
        }
        return "";
    }
    static std::string content(const fs::path &path)
    {
        std::ifstream file(path);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    static void put(const fs::path &path, const std::string &text) { std::ofstream(path) << text; }
    static mode_t typeOf(const fs::path &path)
    {
        struct stat status
        {};
        return ::lstat(path.c_str(), &status) == 0 ? status.st_mode & S_IFMT : 0;
    }
    /// No file is left beside.
    std::size_t entries() const
    {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(m_folder.path()), fs::directory_iterator()));
    }

    const test::TempDir m_folder;
    const fs::path m_path = m_folder / "out";
    static constexpr auto kReplace = NewFile::Existing::Replace;
    static constexpr auto kRefuse = NewFile::Existing::Refuse;
};

TEST_F(NewFileTest, OnlyARegularFileIsReplaced)
{
    put(m_path, "old");
    EXPECT_NE(refusal(m_path, kRefuse).find("exists already"), std::string::npos);
    EXPECT_EQ(content(m_path), "old");
    write(m_path, kReplace);
    EXPECT_EQ(content(m_path), "new");
    fs::remove(m_path);

    ASSERT_EQ(::mkfifo(m_path.c_str(), 0600), 0);
    for (const auto existing : {kReplace, kRefuse})
        EXPECT_NE(refusal(m_path, existing).find("is a pipe"), std::string::npos);
    EXPECT_EQ(typeOf(m_path), static_cast<mode_t>(S_IFIFO));
    fs::remove(m_path);

    const int listening = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    m_path.string().copy(address.sun_path, sizeof address.sun_path - 1);
    ASSERT_EQ(::bind(listening, reinterpret_cast<sockaddr *>(&address), sizeof address), 0);
    EXPECT_NE(refusal(m_path, kReplace).find("is a socket"), std::string::npos);
    EXPECT_EQ(typeOf(m_path), static_cast<mode_t>(S_IFSOCK));
    ::close(listening);
    fs::remove(m_path);

    fs::create_directory(m_path);
    EXPECT_NE(refusal(m_path, kReplace).find("is a folder"), std::string::npos);
    EXPECT_NE(refusal("/dev/null", kReplace).find("is a device"), std::string::npos);
    EXPECT_EQ(typeOf("/dev/null"), static_cast<mode_t>(S_IFCHR));
    // Root may make one anywhere, and would rename over it.
    const fs::path device = m_folder / "full";
    if (::mknod(device.c_str(), S_IFCHR | 0600, makedev(1, 7)) == 0) {
        EXPECT_NE(refusal(device, kReplace).find("is a device"), std::string::npos);
        EXPECT_EQ(typeOf(device), static_cast<mode_t>(S_IFCHR));
        fs::remove(device);
    }
    EXPECT_EQ(entries(), 1u);
}

TEST_F(NewFileTest, WhatComesMeanwhileIsNotReplaced)
{
    {
        NewFile file(m_path, kReplace);
        file.write(std::as_bytes(std::span("new", 3)));
        ASSERT_EQ(::mkfifo(m_path.c_str(), 0600), 0);
        EXPECT_THROW(file.keep(), Error);
    }
    EXPECT_EQ(typeOf(m_path), static_cast<mode_t>(S_IFIFO));
    EXPECT_EQ(entries(), 1u);
}

TEST_F(NewFileTest, ALinkStaysAndLeadsToTheNewFile)
{
    const fs::path target = m_folder / "target";
    put(target, "old");
    fs::create_symlink("target", m_path);
    EXPECT_NE(refusal(m_path, kRefuse).find("exists already"), std::string::npos);
    write(m_path, kReplace);
    EXPECT_EQ(typeOf(m_path), static_cast<mode_t>(S_IFLNK));
    EXPECT_EQ(typeOf(target), static_cast<mode_t>(S_IFREG));
    EXPECT_EQ(content(target), "new");
    fs::remove(target); // and to what is not there yet
    write(m_path, kRefuse);
    EXPECT_EQ(content(target), "new");
    EXPECT_EQ(typeOf(m_path), static_cast<mode_t>(S_IFLNK));
    fs::remove(m_path);
    fs::create_symlink("/dev/null", m_path);
    EXPECT_NE(refusal(m_path, kReplace).find("is a device"), std::string::npos);
    fs::remove(m_path);
    fs::create_symlink("out", m_path); // to itself
    EXPECT_NE(refusal(m_path, kReplace).find("leads nowhere"), std::string::npos);
}

} // namespace
} // namespace fireside
