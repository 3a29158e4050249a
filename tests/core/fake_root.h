#pragma once
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

namespace fireside {

/// A temporary folder that stands in for "/" with chosen /proc and /sys files.
class FakeRoot
{
public:
    FakeRoot()
    {
        static int count = 0;
        m_path = std::filesystem::temp_directory_path() /
                 ("fireside-root-" + std::to_string(getpid()) + "-" + std::to_string(count++));
        std::filesystem::create_directories(m_path);
    }
    ~FakeRoot()
    {
        std::error_code ignored;
        std::filesystem::remove_all(m_path, ignored);
    }
    FakeRoot(const FakeRoot &) = delete;
    FakeRoot &operator=(const FakeRoot &) = delete;

    void write(const std::string &path, const std::string &text) const
    {
        const std::filesystem::path full = m_path / path;
        std::filesystem::create_directories(full.parent_path());
        std::ofstream(full, std::ios::binary) << text;
    }
    std::string path() const { return m_path.string(); }

private:
    std::filesystem::path m_path;
};

} // namespace fireside
