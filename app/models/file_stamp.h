#pragma once
#include <QtGlobal>

#include <utility>

#include <sys/stat.h>

namespace fireside {

/// What one look at a file tells: which it is, and whether it is still as it was.
struct FileStamp
{
    quint64 device = 0, inode = 0;  // both 0: not looked at
    qint64 bytes = 0, modified = 0; // nanoseconds since 1970
    bool known() const { return device != 0 || inode != 0; }
    std::pair<quint64, quint64> which() const { return {device, inode}; }

    static FileStamp of(const struct stat &info)
    {
        constexpr qint64 kSecond = 1'000'000'000;
        return {info.st_dev, info.st_ino, info.st_size,
                info.st_mtim.tv_sec * kSecond + info.st_mtim.tv_nsec};
    }
};

} // namespace fireside
