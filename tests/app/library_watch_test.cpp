// What comes into the library's folders appears by itself, and what was read once is not read
// again.
#include "app/models/model_library.h"

#include "support.h"
#include "tests/support/golden.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSignalSpy>

#include <algorithm>

#include <fcntl.h>
#include <sys/stat.h>

namespace fireside::test {
namespace {

class LibraryWatchTest : public ::testing::Test
{
protected:
    LibraryWatchTest()
    {
        qputenv("HOME", m_home.toUtf8());
        qputenv("XDG_DATA_HOME", (m_home + QStringLiteral("/.local/share")).toUtf8());
        qputenv("XDG_CONFIG_HOME", (m_home + QStringLiteral("/.config")).toUtf8());
        qputenv("XDG_CACHE_HOME", (m_home + QStringLiteral("/.cache")).toUtf8());
        for (const char *name : {"HF_HUB_CACHE", "HF_HOME", "OLLAMA_MODELS"})
            qunsetenv(name);
        QFile golden(QString::fromStdString(goldenGguf("q4_k").string()));
        EXPECT_TRUE(golden.open(QIODevice::ReadOnly));
        m_model = golden.readAll();
    }

    QString path(const char *name) const
    {
        return ModelLibrary::firesideFolder() + QLatin1Char('/') + QLatin1String(name);
    }
    static const ModelEntry *entry(const ModelLibrary &library, const QString &path)
    {
        const auto &entries = library.entries();
        const auto found = std::find_if(entries.begin(), entries.end(),
                                        [&](const ModelEntry &e) { return e.path == path; });
        return found == entries.end() ? nullptr : &*found;
    }
    static void scan(ModelLibrary &library)
    {
        library.rescan();
        ASSERT_TRUE(waitFor([&] { return !library.scanning(); }));
    }
    /// Other content of the same size, written into the file as it is.
    static void overwrite(const QString &path, const QByteArray &from, const QByteArray &to)
    {
        QFile file(path);
        ASSERT_TRUE(file.open(QIODevice::ReadWrite));
        QByteArray content = file.readAll();
        ASSERT_TRUE(content.contains(from));
        ASSERT_EQ(from.size(), to.size());
        file.seek(0);
        file.write(content.replace(from, to));
    }

    const QString m_home = newFolder();
    QByteArray m_model;
};

TEST_F(LibraryWatchTest, WhatComesAndGoesIsNoticed)
{
    writeFile(path("sub/first.gguf"), m_model);
    ModelLibrary library;
    scan(library);
    ASSERT_TRUE(entry(library, path("sub/first.gguf")));
    // Half of it at first, as while it is being copied.
    writeFile(path("sub/second.gguf"), m_model.left(m_model.size() / 2));
    ASSERT_TRUE(waitFor([&] { return entry(library, path("sub/second.gguf")) != nullptr; }));
    EXPECT_FALSE(entry(library, path("sub/second.gguf"))->problem.isEmpty());
    QFile second(path("sub/second.gguf"));
    ASSERT_TRUE(second.open(QIODevice::Append));
    second.write(m_model.mid(m_model.size() / 2) + "another one");
    second.close();
    ASSERT_TRUE(waitFor([&] {
        const ModelEntry *now = entry(library, path("sub/second.gguf"));
        return now && now->problem.isEmpty();
    })) << "its folder says nothing when it grows";
    ASSERT_TRUE(QFile::remove(path("sub/first.gguf")));
    EXPECT_TRUE(
        waitFor([&] { return !library.scanning() && !entry(library, path("sub/first.gguf")); }));
}

TEST_F(LibraryWatchTest, AFolderThatIsMadeLaterIsSearched)
{
    ModelLibrary library;
    scan(library);
    writeFile(path("late.gguf"), m_model);
    EXPECT_TRUE(waitFor([&] { return entry(library, path("late.gguf")) != nullptr; }));
}

TEST_F(LibraryWatchTest, UnchangedFilesAreNotReadAgainAfterARestart)
{
    const QString file = path("one.gguf"), cache = m_home + "/.cache/fireside/models.cache";
    writeFile(file, m_model);
    ModelEntry before;
    {
        ModelLibrary library;
        scan(library);
        before = *entry(library, file);
        EXPECT_EQ(before.problem, QString());
    }
    EXPECT_TRUE(QFileInfo::exists(cache));
    struct stat info
    {};
    const QByteArray name = QFile::encodeName(file);
    ASSERT_EQ(::stat(name.constData(), &info), 0);
    overwrite(file, "llama", "xlama");
    const timespec times[] = {info.st_atim, info.st_mtim};
    ASSERT_EQ(::utimensat(AT_FDCWD, name.constData(), times, 0), 0);
    {
        ModelLibrary library;
        scan(library);
        ASSERT_TRUE(entry(library, file));
        EXPECT_EQ(entry(library, file)->architecture, before.architecture);
        EXPECT_EQ(entry(library, file)->fit, before.fit);
        EXPECT_EQ(entry(library, file)->parameters, before.parameters);
    }
    // Damaged, the cache counts for nothing; so does what it says of a file that changed.
    QFile stored(cache);
    ASSERT_TRUE(stored.open(QIODevice::ReadWrite));
    QByteArray bytes = stored.readAll();
    bytes[bytes.size() - 5] = static_cast<char>(bytes[bytes.size() - 5] + 1);
    stored.seek(0);
    stored.write(bytes);
    stored.close();
    ModelLibrary damaged;
    scan(damaged);
    EXPECT_FALSE(entry(damaged, file)->problem.isEmpty()) << "no such architecture";
    overwrite(file, "xlama", "llama");
    scan(damaged);
    EXPECT_EQ(entry(damaged, file)->problem, QString());
}

// Of a file that is alone with its ends no more is kept than these; samples are read when another
// file comes that has the same.
TEST_F(LibraryWatchTest, CopiesAreFoundInWhatWasKeptOfTheirContent)
{
    writeFile(path("own.gguf"), m_model + "ours");
    writeFile(path("tuned.gguf"), m_model + "else");
    QByteArray middle = m_model + "ours";
    middle[middle.size() / 2] = static_cast<char>(middle[middle.size() / 2] + 1);
    for (const qsizetype copies : {0, 1, 1}) { // each a new start with the same cache
        if (copies > 0) {
            writeFile(path("copy.gguf"), m_model + "ours");
            writeFile(path("middle.gguf"), middle);
        }
        ModelLibrary library;
        scan(library);
        EXPECT_TRUE(entry(library, path("tuned.gguf")));
        EXPECT_EQ(entry(library, path("middle.gguf")) != nullptr, copies > 0);
        const ModelEntry *copy = entry(library, path("copy.gguf")),
                         *own = entry(library, path("own.gguf"));
        ASSERT_NE(copy ? copy : own, nullptr);
        EXPECT_EQ((copy ? copy : own)->copies.size(), copies);
        EXPECT_TRUE(copies == 0 || !copy || !own) << "one row for one content";
    }
}

} // namespace
} // namespace fireside::test
