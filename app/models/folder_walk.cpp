#include "app/models/folder_walk.h"

#include "app/models/library_texts.h"
#include "app/models/model_source.h"

#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>

namespace fireside {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxDepth = 8;
constexpr int kMaxEntries = 200'000;

class Walk
{
public:
    Walk(ModelSink &sink, const std::function<void(const FolderFiles &)> &visit)
        : m_sink(sink)
        , m_visit(visit)
    {}

    void enter(const fs::path &folder, int depth)
    {
        if (m_sink.cancelled() || !firstTime(folder) || isOfKernel(folder))
            return;
        if (depth > kMaxDepth) {
            m_sink.problem(fromPath(folder),
                           LibraryTexts::tr("not searched: too many folders deep"));
            return;
        }
        m_sink.visiting(fromPath(folder));
        FolderFiles here{folder, QFileInfo(fromPath(folder)).canonicalFilePath(), {}};
        std::vector<fs::path> folders;
        if (!list(folder, here, folders))
            return;
        std::sort(here.files.begin(), here.files.end(),
                  [](const auto &a, const auto &b) { return a.path < b.path; });
        std::sort(folders.begin(), folders.end());
        if (!here.files.empty())
            m_visit(here);
        for (const fs::path &below : folders)
            enter(below, depth + 1);
    }

private:
    bool firstTime(const fs::path &folder)
    {
        struct stat info
        {};
        if (::stat(folder.c_str(), &info) != 0)
            return true; // listing it will say why
        return m_seen.emplace(info.st_dev, info.st_ino).second;
    }

    /// /proc and /sys, where somebody searches the whole computer: no end of files, and no models.
    static bool isOfKernel(const fs::path &folder)
    {
        struct statfs info
        {};
        return ::statfs(folder.c_str(), &info) == 0 &&
               (info.f_type == PROC_SUPER_MAGIC || info.f_type == SYSFS_MAGIC);
    }

    bool list(const fs::path &folder, FolderFiles &here, std::vector<fs::path> &folders)
    {
        std::error_code error;
        fs::directory_iterator entry(folder, error);
        for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
            if (m_sink.cancelled())
                return false;
            if (++m_entries > kMaxEntries) {
                if (m_entries == kMaxEntries + 1)
                    m_sink.problem(fromPath(folder),
                                   LibraryTexts::tr("not searched further: too many files"));
                return false;
            }
            struct stat info
            {};
            if (::stat(entry->path().c_str(), &info) != 0)
                continue; // a dangling link is nobody's problem
            if (S_ISDIR(info.st_mode)) {
                if (entry->path().filename().native().front() != '.')
                    folders.push_back(entry->path());
            } else if (S_ISREG(info.st_mode)) {
                std::error_code unknown;
                here.files.push_back(
                    {entry->path(), info.st_size, FileStamp::of(info), entry->is_symlink(unknown)});
            }
        }
        if (error)
            m_sink.problem(fromPath(folder), QString::fromStdString(error.message()));
        return !error;
    }

    ModelSink &m_sink;
    const std::function<void(const FolderFiles &)> &m_visit;
    std::set<std::pair<dev_t, ino_t>> m_seen;
    int m_entries = 0;
};

} // namespace

QString fromPath(const fs::path &path)
{
    return QFile::decodeName(path.c_str());
}

void walkFolders(const QString &root, ModelSink &sink,
                 const std::function<void(const FolderFiles &)> &visit)
{
    Walk(sink, visit).enter(QFile::encodeName(root).toStdString(), 0);
}

} // namespace fireside
