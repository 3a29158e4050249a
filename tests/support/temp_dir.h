#pragma once
#include <filesystem>

namespace fireside::test {

/// A fresh folder, deleted with everything in it on destruction.
class TempDir
{
public:
    TempDir();
    ~TempDir();
    TempDir(const TempDir &) = delete;
    TempDir &operator=(const TempDir &) = delete;
    const std::filesystem::path &path() const { return m_path; }
    std::filesystem::path operator/(const std::filesystem::path &name) const
    {
        return m_path / name;
    }

private:
    std::filesystem::path m_path;
};

} // namespace fireside::test
