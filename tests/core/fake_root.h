#pragma once
#include "tests/support/temp_dir.h"

#include <filesystem>
#include <fstream>
#include <string>

namespace fireside {

/// A temporary folder that stands in for "/" with chosen /proc and /sys files.
class FakeRoot
{
public:
    void write(const std::string &path, const std::string &text) const
    {
        const std::filesystem::path full = m_folder / path;
        std::filesystem::create_directories(full.parent_path());
        std::ofstream(full, std::ios::binary) << text;
    }
    std::string path() const { return m_folder.path().string(); }

private:
    test::TempDir m_folder;
};

} // namespace fireside
