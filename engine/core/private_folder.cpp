#include "engine/core/private_folder.h"

#include <cerrno>
#include <sys/stat.h>

namespace fireside {

std::error_code makePrivateFolder(const std::filesystem::path &folder)
{
    std::error_code error;
    if (folder.empty() || std::filesystem::is_directory(folder, error))
        return {};
    if (folder.has_parent_path()) {
        std::filesystem::create_directories(folder.parent_path(), error);
        if (error)
            return error;
    }
    constexpr mode_t kOwnerOnly = 0700; // from the first moment on
    if (::mkdir(folder.c_str(), kOwnerOnly) == 0)
        return {};
    const std::error_code reason(errno, std::generic_category());
    return std::filesystem::is_directory(folder, error) ? std::error_code() : reason;
}

} // namespace fireside
