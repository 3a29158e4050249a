#pragma once
#include "app/models/file_stamp.h"

#include <QString>

#include <filesystem>
#include <functional>
#include <vector>

namespace fireside {

class ModelSink;

/// The regular files of one folder, sorted by name.
struct FolderFiles
{
    struct File
    {
        std::filesystem::path path;
        qint64 bytes = 0;
        FileStamp stamp;
        bool isLink = false;
    };
    std::filesystem::path folder;
    QString canonical; // of the folder
    std::vector<File> files;
};

QString fromPath(const std::filesystem::path &path);

/// Visits `root` and what is below it, folder by folder. Links are followed, each folder is entered
/// once however many ways lead to it, hidden folders are not entered, and depth and number of
/// entries are limited. Folders that cannot be read go to the sink.
void walkFolders(const QString &root, ModelSink &sink,
                 const std::function<void(const FolderFiles &)> &visit);

} // namespace fireside
