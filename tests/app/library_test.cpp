#include "app/models/folder_walk.h"
#include "app/models/model_library.h"
#include "app/models/model_source.h"

#include "support.h"
#include "tests/support/golden.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSignalSpy>
#include <QThreadPool>

#include <algorithm>

#include <sys/stat.h>
#include <unistd.h>

namespace fireside::test {
namespace {

const QString kModels = QStringLiteral(FIRESIDE_TEST_DATA "/golden/gguf/");

void copyModel(const QString &type, const QString &to)
{
    QDir().mkpath(QFileInfo(to).absolutePath());
    const auto from = goldenGguf(type.toStdString()).string();
    ASSERT_TRUE(QFile::copy(QString::fromStdString(from), to)) << qPrintable(to);
    QFile::setPermissions(to, QFile::Permissions(0x6644));
}

/// The same, but no copy of another one: its padding behind the tensors tells it apart.
void ownModel(const QString &type, const QString &to)
{
    copyModel(type, to);
    QFile file(to);
    ASSERT_TRUE(file.open(QIODevice::Append));
    file.write(QCryptographicHash::hash(to.toUtf8(), QCryptographicHash::Md5));
}

class LibraryTest : public ::testing::Test
{
protected:
    LibraryTest()
        : m_home(newFolder())
    {
        qputenv("HOME", m_home.toUtf8());
        qputenv("XDG_DATA_HOME", (m_home + QStringLiteral("/.local/share")).toUtf8());
        qputenv("XDG_CONFIG_HOME", (m_home + QStringLiteral("/.config")).toUtf8());
        qputenv("XDG_CACHE_HOME", (m_home + QStringLiteral("/.cache")).toUtf8());
        for (const char *name : {"HF_HUB_CACHE", "HF_HOME", "OLLAMA_MODELS"})
            qunsetenv(name);
    }

    QString home(const char *path) const { return m_home + QString::fromUtf8(path); }

    static void scan(ModelLibrary &library)
    {
        QSignalSpy finished(&library, &ModelLibrary::scanFinished);
        library.rescan();
        ASSERT_TRUE(waitFor([&] { return !finished.isEmpty(); }, 60'000));
        ASSERT_FALSE(finished.first().first().toBool());
    }

    static QStringList namesFrom(const ModelLibrary &library, const char *source)
    {
        QStringList names;
        for (const ModelEntry &entry : library.entries()) {
            if (entry.source == QLatin1String(source))
                names.append(QFileInfo(entry.path).fileName());
        }
        names.sort();
        return names;
    }

    static const ModelEntry *find(const ModelLibrary &library, const QString &fileName)
    {
        const auto &entries = library.entries();
        const auto entry = std::find_if(entries.begin(), entries.end(), [&](const ModelEntry &e) {
            return QFileInfo(e.path).fileName() == fileName;
        });
        return entry == entries.end() ? nullptr : &*entry;
    }

    QString m_home;
};

TEST_F(LibraryTest, theStarterIsFirstAndDescribed)
{
    ModelLibrary library;
    scan(library);
    ASSERT_FALSE(library.entries().isEmpty());
    const ModelEntry &starter = library.entries().first();
    EXPECT_TRUE(starter.builtIn);
    EXPECT_EQ(starter.source, QStringLiteral("Starter (built in)"));
    EXPECT_EQ(starter.architecture, QStringLiteral("llama"));
    EXPECT_EQ(starter.contextTrained, 2048);
    EXPECT_TRUE(starter.problem.isEmpty()) << qPrintable(starter.problem);
    EXPECT_EQ(starter.fit, ModelEntry::Fits);
    EXPECT_TRUE(starter.fitText.startsWith(QStringLiteral("CPU: "))) << qPrintable(starter.fitText);
    EXPECT_GT(starter.parameters, 29'000'000);
    QSignalSpy refused(&library, &ModelLibrary::deleteFailed);
    library.deleteModel(starter.path);
    EXPECT_EQ(refused.size(), 1);
    EXPECT_TRUE(QFile::exists(starter.path));
}

TEST_F(LibraryTest, everySourceIsRead)
{
    ownModel(QStringLiteral("mxfp4"), home("/.local/share/fireside/models/own.gguf"));
    ownModel(QStringLiteral("q8_0"), home("/.lmstudio/models/org/repo/studio.gguf"));
    ownModel(QStringLiteral("f16"), home("/.lmstudio/models/org/repo/mmproj-studio.gguf"));
    writeFile(home("/.cache/lm-studio/settings.json"),
              "{\"downloadsFolder\": \"" + home("/moved").toUtf8() + "\"}");
    ownModel(QStringLiteral("q5_0"), home("/moved/a/b/moved.gguf"));
    // Hugging Face: the snapshot's files are links to blobs; two revisions share one.
    const QString repository = home("/.cache/huggingface/hub/models--org--name-GGUF");
    ownModel(QStringLiteral("q4_k"), repository + QStringLiteral("/blobs/0123abcd"));
    for (const char *revision : {"1111", "2222"})
        makeLink(QStringLiteral("../../blobs/0123abcd"),
                 repository + QStringLiteral("/snapshots/") + QString::fromLatin1(revision) +
                     QStringLiteral("/hub.gguf"));
    const QString weights = home("/.cache/huggingface/hub/models--org--plain/snapshots/3333/");
    writeFile(weights + QStringLiteral("config.json"), "{}");
    writeFile(weights + QStringLiteral("model.safetensors"), QByteArray(5000, 'x'));
    const QString mixture = home("/.cache/huggingface/hub/models--org--mixture/snapshots/4444/");
    QDir().mkpath(mixture);
    for (const char *name : {"config.json", "model.safetensors"})
        ASSERT_TRUE(QFile::copy(kModels + QStringLiteral("../models/qwen3-moe/") +
                                    QString::fromLatin1(name),
                                mixture + QString::fromLatin1(name)));
    // Ollama.
    const QByteArray digest = QByteArray(64, 'a');
    ownModel(QStringLiteral("q5_1"),
             home("/.ollama/models/blobs/sha256-") + QString::fromLatin1(digest));
    writeFile(home("/.ollama/models/manifests/registry.ollama.ai/library/tiny/1b"),
              "{\"layers\":[{\"mediaType\":\"application/"
              "vnd.ollama.image.license\",\"digest\":\"sha256:" +
                  QByteArray(64, 'b') +
                  "\"},{\"mediaType\":\"application/vnd.ollama.image.model\",\"digest\":\"sha256:" +
                  digest + "\"}]}");
    writeFile(
        home("/.ollama/models/manifests/registry.ollama.ai/library/gone/latest"),
        "{\"layers\":[{\"mediaType\":\"application/vnd.ollama.image.model\",\"digest\":\"sha256:" +
            QByteArray(64, 'c') + "\"}]}");
    writeFile(home("/.ollama/models/manifests/registry.ollama.ai/evil/path/latest"),
              "{\"layers\":[{\"mediaType\":\"application/vnd.ollama.image.model\","
              "\"digest\":\"sha256:../../../../etc/passwd\"}]}");
    // Jan: one model inside, one that was imported from elsewhere.
    ownModel(QStringLiteral("f16"), home("/.local/share/Jan/data/llamacpp/models/x/model.gguf"));
    writeFile(home("/.local/share/Jan/data/llamacpp/models/x/model.yml"),
              "name: Inside\nmodel_path: llamacpp/models/x/model.gguf\n");
    ownModel(QStringLiteral("f16"), home("/elsewhere/imported.gguf"));
    writeFile(home("/.local/share/Jan/data/llamacpp/models/y/model.yml"),
              "name: 'Imported'\nmodel_path: " + home("/elsewhere/imported.gguf").toUtf8() + "\n");

    ModelLibrary library;
    scan(library);
    EXPECT_EQ(namesFrom(library, "Fireside"), QStringList{QStringLiteral("own.gguf")});
    EXPECT_EQ(namesFrom(library, "LM Studio"),
              (QStringList{QStringLiteral("moved.gguf"), QStringLiteral("studio.gguf")}));
    EXPECT_EQ(
        namesFrom(library, "Hugging Face"),
        (QStringList{QStringLiteral("3333"), QStringLiteral("4444"), QStringLiteral("hub.gguf")}));
    EXPECT_EQ(namesFrom(library, "Ollama").size(), 2);
    EXPECT_EQ(namesFrom(library, "Jan"),
              (QStringList{QStringLiteral("imported.gguf"), QStringLiteral("model.gguf")}));

    const ModelEntry *folder = find(library, QStringLiteral("3333"));
    ASSERT_TRUE(folder);
    EXPECT_EQ(folder->name, QStringLiteral("org/plain"));
    EXPECT_EQ(folder->fileBytes, 5000);
    EXPECT_FALSE(folder->problem.isEmpty());
    const ModelEntry *experts = find(library, QStringLiteral("4444"));
    ASSERT_TRUE(experts);
    EXPECT_EQ(experts->name, QStringLiteral("org/mixture"));
    // Without a tokenizer it could not be loaded.
    EXPECT_TRUE(experts->problem.contains(QStringLiteral("tokenizer.json")))
        << qPrintable(experts->problem);
    EXPECT_EQ(experts->architecture, QStringLiteral("qwen3moe"));
    EXPECT_EQ(experts->quantisation, QStringLiteral("BF16"));
    EXPECT_LT(experts->activeParameters, experts->parameters);
    EXPECT_NE(experts->fit, ModelEntry::Fits);
    const ModelEntry *ollama =
        find(library, QStringLiteral("sha256-") + QString::fromLatin1(digest));
    ASSERT_TRUE(ollama);
    EXPECT_EQ(ollama->name, QStringLiteral("tiny:1b"));
    EXPECT_TRUE(ollama->problem.isEmpty()) << qPrintable(ollama->problem);
    const ModelEntry *gone =
        find(library, QStringLiteral("sha256-") + QString(64, QLatin1Char('c')));
    ASSERT_TRUE(gone);
    EXPECT_FALSE(gone->problem.isEmpty());
    EXPECT_EQ(find(library, QStringLiteral("imported.gguf"))->name, QStringLiteral("Imported"));
    const ModelEntry *own = find(library, QStringLiteral("own.gguf"));
    EXPECT_EQ(own->quantisation, QStringLiteral("MXFP4"));
    EXPECT_TRUE(own->problem.isEmpty());
    EXPECT_EQ(own->fileBytes, QFileInfo(own->path).size());
}

TEST_F(LibraryTest, splitModelsAreOneEntryAndMissingPartsAreNamed)
{
    const QString folder = home("/.local/share/fireside/models/");
    ownModel(QStringLiteral("mxfp4"), folder + QStringLiteral("big-00001-of-00003.gguf"));
    ownModel(QStringLiteral("q8_0"), folder + QStringLiteral("big-00003-of-00003.gguf"));
    ModelLibrary library;
    scan(library);
    const ModelEntry *big = find(library, QStringLiteral("big-00001-of-00003.gguf"));
    ASSERT_TRUE(big);
    EXPECT_EQ(namesFrom(library, "Fireside").size(), 1);
    EXPECT_TRUE(big->problem.contains(QStringLiteral("big-00002-of-00003.gguf")))
        << qPrintable(big->problem);
    EXPECT_EQ(big->fileBytes,
              QFileInfo(folder + QStringLiteral("big-00001-of-00003.gguf")).size() +
                  QFileInfo(folder + QStringLiteral("big-00003-of-00003.gguf")).size());
    library.deleteModel(big->path);
    EXPECT_TRUE(QDir(folder).entryList(QDir::Files).isEmpty());
}

TEST_F(LibraryTest, whatLacksPartsIsNoCopyOfACompleteModel)
{
    const auto part = [&](const char *repository, int number) {
        return home("/.cache/huggingface/hub/models--") + QString::fromUtf8(repository) +
               QStringLiteral("/snapshots/1/m-0000%1-of-00002.gguf").arg(number);
    };
    for (const char *repository : {"a--b", "c--d", "g--h", "i--j"})
        copyModel(QStringLiteral("mxfp4"), part(repository, 1));
    for (const char *repository : {"a--b", "c--d"})
        copyModel(QStringLiteral("q8_0"), part(repository, 2));
    ModelLibrary library;
    scan(library);
    QStringList complete, lacking;
    for (const ModelEntry &entry : library.entries()) {
        if (entry.source != QStringLiteral("Hugging Face"))
            continue;
        const bool lacks = entry.problem.contains(QStringLiteral("m-00002-of-00002.gguf"));
        (lacks ? lacking : complete).append(entry.path);
        EXPECT_EQ(entry.copies.size(), lacks ? 0 : 1) << qPrintable(entry.path);
        for (const ModelCopy &copy : entry.copies)
            EXPECT_EQ(copy.path, part("c--d", 1));
    }
    EXPECT_EQ(complete, QStringList{part("a--b", 1)});
    EXPECT_EQ(lacking, (QStringList{part("g--h", 1), part("i--j", 1)}));
}

TEST_F(LibraryTest, onlyItsOwnFilesOfTheListAreDeleted)
{
    ownModel(QStringLiteral("q4_k"), home("/.local/share/fireside/models/own.gguf"));
    ownModel(QStringLiteral("q4_k"), home("/elsewhere/other.gguf"));
    const QByteArray digest = QByteArray(64, 'a');
    const QString blob = home("/.ollama/models/blobs/sha256-") + QString::fromLatin1(digest);
    ownModel(QStringLiteral("q4_k"), blob);
    writeFile(home("/.ollama/models/manifests/registry.ollama.ai/library/tiny/1b"),
              "{\"layers\":[{\"mediaType\":\"application/vnd.ollama.image.model\","
              "\"digest\":\"sha256:" +
                  digest + "\"}]}");
    ModelLibrary library;
    scan(library);
    ASSERT_EQ(namesFrom(library, "Ollama").size(), 1);
    QSignalSpy refused(&library, &ModelLibrary::deleteFailed);
    library.deleteModel(home("/elsewhere/other.gguf"));
    EXPECT_EQ(refused.size(), 1);
    EXPECT_TRUE(QFile::exists(home("/elsewhere/other.gguf")));
    EXPECT_TRUE(ModelLibrary::whyNotDeleted(*find(library, QStringLiteral("own.gguf"))).isEmpty());
    ModelEntry foreign = *find(library, QStringLiteral("own.gguf"));
    foreign.source = QStringLiteral("LM Studio");
    EXPECT_TRUE(ModelLibrary::whyNotDeleted(foreign).contains(QStringLiteral("LM Studio")));
    foreign.source = QStringLiteral("Added folder");
    foreign.path += QStringLiteral(".gone");
    EXPECT_EQ(ModelLibrary::whyNotDeleted(foreign), QStringLiteral("its file is not there"));
    library.deleteModel(find(library, QFileInfo(blob).fileName())->path);
    ASSERT_EQ(refused.size(), 2);
    EXPECT_TRUE(refused.last().at(1).toString().contains(QStringLiteral("ollama rm tiny:1b")));
    EXPECT_TRUE(QFile::exists(blob));
    library.deleteModel(home("/.local/share/fireside/models/own.gguf"));
    EXPECT_EQ(refused.size(), 2);
    EXPECT_FALSE(QFile::exists(home("/.local/share/fireside/models/own.gguf")));
}

TEST_F(LibraryTest, theSameModelInSeveralPlacesIsOne)
{
    const QString own = home("/.local/share/fireside/models/own.gguf");
    const QString studio = home("/.lmstudio/models/org/repo/studio.gguf");
    copyModel(QStringLiteral("q4_k"), own);
    copyModel(QStringLiteral("q4_k"), studio);
    copyModel(QStringLiteral("q8_0"), home("/.lmstudio/models/org/repo/other.gguf"));
    // The same size, and another byte in the middle.
    const QString changed = home("/.lmstudio/models/org/repo/tuned.gguf");
    copyModel(QStringLiteral("q4_k"), changed);
    QFile file(changed);
    ASSERT_TRUE(file.open(QIODevice::ReadWrite) && file.seek(file.size() / 2));
    char byte = 0;
    ASSERT_TRUE(file.getChar(&byte) && file.seek(file.size() / 2) &&
                file.putChar(static_cast<char>(byte + 1)));
    file.close();

    ModelLibrary library;
    scan(library);
    EXPECT_EQ(namesFrom(library, "Fireside"), QStringList{QStringLiteral("own.gguf")});
    EXPECT_EQ(namesFrom(library, "LM Studio"),
              (QStringList{QStringLiteral("other.gguf"), QStringLiteral("tuned.gguf")}));
    const ModelEntry *entry = find(library, QStringLiteral("own.gguf"));
    ASSERT_NE(entry, nullptr);
    EXPECT_EQ(entry->copies, (QList<ModelCopy>{{QStringLiteral("LM Studio"), studio}}));
    library.hideModel(own);
    scan(library);
    EXPECT_EQ(find(library, QStringLiteral("studio.gguf")), nullptr) << "no copy comes instead";
    EXPECT_EQ(find(library, QStringLiteral("own.gguf")), nullptr);
}

TEST_F(LibraryTest, aCopyOfTheStarterIsNoOtherModel)
{
    const QString starter = ModelLibrary::starterModelPath();
    ASSERT_FALSE(starter.isEmpty());
    const QString blob = home("/.ollama/models/blobs/sha256-") + QString(64, QLatin1Char('c'));
    QDir().mkpath(QFileInfo(blob).absolutePath());
    ASSERT_TRUE(QFile::copy(starter, blob));
    writeFile(home("/.ollama/models/manifests/registry.ollama.ai/library/small/latest"),
              "{\"layers\":[{\"mediaType\":\"application/vnd.ollama.image.model\","
              "\"digest\":\"sha256:" +
                  QByteArray(64, 'c') + "\"}]}");
    ModelLibrary library;
    scan(library);
    EXPECT_TRUE(namesFrom(library, "Ollama").isEmpty());
    const ModelEntry *entry = find(library, QFileInfo(starter).fileName());
    ASSERT_NE(entry, nullptr);
    EXPECT_TRUE(entry->builtIn);
    EXPECT_EQ(entry->copies,
              (QList<ModelCopy>{{QStringLiteral("Ollama"), blob, QStringLiteral("small:latest")}}));
}

TEST_F(LibraryTest, modelsOfOllamaHaveTheirNamesBeforeTheyAreRead)
{
    const QString digest = QString(64, QLatin1Char('b'));
    const QString blob = home("/.ollama/models/blobs/sha256-") + digest;
    ownModel(QStringLiteral("q4_k"), blob);
    EXPECT_EQ(ModelLibrary::displayName(blob), QStringLiteral("sha256-") + digest);
    writeFile(home("/.ollama/models/manifests/registry.ollama.ai/library/tiny/1b"),
              "{\"layers\":[{\"mediaType\":\"application/vnd.ollama.image.model\","
              "\"digest\":\"sha256:" +
                  digest.toUtf8() + "\"}]}");
    writeFile(home("/.ollama/models/manifests/broken"), "{");
    EXPECT_EQ(ModelLibrary::displayName(blob), QStringLiteral("tiny:1b"));
    EXPECT_EQ(ModelLibrary::displayName(QStringLiteral("/a/b c.gguf")), QStringLiteral("b c.gguf"));
}

TEST_F(LibraryTest, hiddenFoldersAndCompanionsOfModelsAreLeftOut)
{
    const QString folder = home("/.local/share/fireside/models");
    ownModel(QStringLiteral("q4_k"), folder + QStringLiteral("/one.gguf"));
    ownModel(QStringLiteral("q8_0"), folder + QStringLiteral("/.trash/two.gguf"));
    ownModel(QStringLiteral("q8_0"), folder + QStringLiteral("/mtp-one.gguf"));
    ownModel(QStringLiteral("q8_0"), folder + QStringLiteral("/one-MMPROJ-f16.gguf"));
    ModelLibrary library;
    scan(library);
    EXPECT_EQ(namesFrom(library, "Fireside"), QStringList{QStringLiteral("one.gguf")});
}

TEST_F(LibraryTest, linksAreFollowedOnceAndLoopsEnd)
{
    const QString folder = home("/.local/share/fireside/models");
    ownModel(QStringLiteral("mxfp4"), home("/real/one.gguf"));
    makeLink(home("/real"), folder + QStringLiteral("/a"));
    makeLink(home("/real"), folder + QStringLiteral("/b"));
    makeLink(folder, folder + QStringLiteral("/a-loop"));
    makeLink(QStringLiteral("nowhere"), folder + QStringLiteral("/dangling.gguf"));
    ASSERT_EQ(::link(QFile::encodeName(home("/real/one.gguf")).constData(),
                     QFile::encodeName(folder + QStringLiteral("/hard.gguf")).constData()),
              0);
    ModelLibrary library;
    scan(library);
    EXPECT_EQ(namesFrom(library, "Fireside").size(), 1);
}

/// Keeps what could not be searched.
class NoSink : public ModelSink
{
public:
    bool cancelled() const override { return false; }
    void visiting(const QString &) override {}
    void found(const FoundModel &) override {}
    void problem(const QString &, const QString &message) override { problems += message; }
    QStringList problems;
};

TEST_F(LibraryTest, foldersOfALoopAreEnteredOnce)
{
    const QString root = home("/models");
    QDir().mkpath(root + QStringLiteral("/below"));
    makeLink(root, root + QStringLiteral("/below/up"));
    makeLink(root + QStringLiteral("/below"), root + QStringLiteral("/again"));
    for (const char *folder : {"/models/a.gguf", "/models/below/b.gguf"})
        writeFile(home(folder), "x");
    NoSink sink;
    QStringList visited;
    walkFolders(root, sink, [&](const FolderFiles &here) { visited += fromPath(here.folder); });
    EXPECT_EQ(visited.size(), 2) << qPrintable(visited.join(QLatin1Char(' ')));
    EXPECT_TRUE(sink.problems.isEmpty());
}

// Who searches the whole computer does not mean what the kernel says of itself.
TEST_F(LibraryTest, kernelFilesAreNotSearched)
{
    const QString root = home("/models");
    writeFile(root + QStringLiteral("/a.gguf"), "x");
    makeLink(QStringLiteral("/proc"), root + QStringLiteral("/processes"));
    makeLink(QStringLiteral("/sys"), root + QStringLiteral("/devices"));
    NoSink sink;
    QStringList visited;
    walkFolders(root, sink, [&](const FolderFiles &here) { visited += fromPath(here.folder); });
    EXPECT_EQ(visited, QStringList{root});
}

TEST_F(LibraryTest, brokenFilesAreListedWithTheirReason)
{
    const QString folder = home("/.local/share/fireside/models/");
    writeFile(folder + QStringLiteral("empty.gguf"), {});
    writeFile(folder + QStringLiteral("text.gguf"), "this is not a model");
    QFile whole(kModels + QStringLiteral("q4_k.gguf"));
    ASSERT_TRUE(whole.open(QIODevice::ReadOnly));
    writeFile(folder + QStringLiteral("cut.gguf"), whole.read(whole.size() / 3));
    ModelLibrary library;
    scan(library);
    for (const char *name : {"empty.gguf", "text.gguf", "cut.gguf"}) {
        const ModelEntry *entry = find(library, QString::fromLatin1(name));
        ASSERT_TRUE(entry) << name;
        EXPECT_FALSE(entry->problem.isEmpty()) << name;
        EXPECT_EQ(entry->fit, ModelEntry::Unknown);
    }
    const ModelEntry described = ModelLibrary::describe(folder + QStringLiteral("text.gguf"), {});
    EXPECT_FALSE(described.problem.isEmpty());
    EXPECT_FALSE(
        ModelLibrary::describe(folder + QStringLiteral("none.gguf"), {}).problem.isEmpty());
    EXPECT_FALSE(ModelLibrary::describe(folder, {}).problem.isEmpty());
    EXPECT_TRUE(ModelLibrary::describe(ModelLibrary::starterModelPath(), {}).builtIn);
}

TEST_F(LibraryTest, aFolderWithoutPermissionIsAProblemNotAnEnd)
{
    const QString folder = home("/.local/share/fireside/models");
    ownModel(QStringLiteral("mxfp4"), folder + QStringLiteral("/open/one.gguf"));
    ownModel(QStringLiteral("q8_0"), folder + QStringLiteral("/closed/two.gguf"));
    ownModel(QStringLiteral("q8_0"), home("/.ollama/models/x.gguf"));
    const QByteArray closed = (folder + QStringLiteral("/closed")).toUtf8();
    const QByteArray ollama = home("/.ollama/models").toUtf8();
    ::chmod(closed.constData(), 0);
    ::chmod(ollama.constData(), 0);
    {
        const WithoutPrivileges unprivileged;
        ModelLibrary library;
        QSignalSpy problems(&library, &ModelLibrary::folderProblem);
        scan(library);
        EXPECT_EQ(namesFrom(library, "Fireside"), QStringList{QStringLiteral("one.gguf")});
        QStringList folders;
        for (const auto &problem : problems) {
            folders.append(problem.at(0).toString());
            EXPECT_FALSE(problem.at(1).toString().isEmpty());
        }
        EXPECT_TRUE(folders.contains(QString::fromUtf8(closed)));
    }
    ::chmod(closed.constData(), 0755);
    ::chmod(ollama.constData(), 0755);
}

TEST_F(LibraryTest, addedFoldersAndHiddenModelsAreRemembered)
{
    const QString folder = home("/my models");
    ownModel(QStringLiteral("mxfp4"), folder + QStringLiteral("/one.gguf"));
    ownModel(QStringLiteral("q8_0"), folder + QStringLiteral("/two.gguf"));
    {
        ModelLibrary library;
        QSignalSpy finished(&library, &ModelLibrary::scanFinished);
        library.addFolder(folder);
        ASSERT_TRUE(waitFor([&] { return !finished.isEmpty(); }, 60'000));
        EXPECT_EQ(namesFrom(library, "Added folder").size(), 2);
        library.hideModel(folder + QStringLiteral("/one.gguf"));
        EXPECT_EQ(namesFrom(library, "Added folder").size(), 1);
    }
    ModelLibrary library;
    EXPECT_EQ(library.addedFolders(), QStringList{folder});
    scan(library);
    EXPECT_EQ(namesFrom(library, "Added folder"), QStringList{QStringLiteral("two.gguf")});
    EXPECT_TRUE(QFile::exists(folder + QStringLiteral("/one.gguf")));
    EXPECT_EQ(library.hiddenCount(), 1);
    library.deleteModel(folder + QStringLiteral("/two.gguf"));
    EXPECT_FALSE(QFile::exists(folder + QStringLiteral("/two.gguf")));
    library.showHiddenModels();
    ASSERT_TRUE(waitFor([&] { return !library.scanning(); }, 60'000));
    EXPECT_EQ(namesFrom(library, "Added folder"), QStringList{QStringLiteral("one.gguf")});
    library.removeFolder(folder);
    ASSERT_TRUE(waitFor([&] { return !library.scanning(); }, 60'000));
    EXPECT_TRUE(namesFrom(library, "Added folder").isEmpty());
    EXPECT_TRUE(ModelLibrary().addedFolders().isEmpty());
}

TEST_F(LibraryTest, damagedLibraryFileIsSetAside)
{
    writeFile(home("/.config/fireside/library.json"), "{\"version\": 1, \"folders\": [");
    EXPECT_TRUE(ModelLibrary().addedFolders().isEmpty());
    EXPECT_EQ(
        QDir(home("/.config/fireside")).entryList({QStringLiteral("library.json.bak-*")}).size(),
        1);
}

TEST_F(LibraryTest, cancelEndsAtOnceAndKeepsWhatWasKnown)
{
    const QString folder = home("/.local/share/fireside/models/");
    for (int i = 0; i < 40; ++i)
        ownModel(QStringLiteral("mxfp4"), folder + QStringLiteral("m%1.gguf").arg(i));
    ModelLibrary library;
    scan(library);
    const qsizetype all = library.entries().size();
    ASSERT_EQ(all, 41);
    QSignalSpy finished(&library, &ModelLibrary::scanFinished);
    library.rescan();
    EXPECT_TRUE(library.scanning());
    library.cancel();
    EXPECT_FALSE(library.scanning());
    ASSERT_EQ(finished.size(), 1);
    EXPECT_TRUE(finished.first().first().toBool());
    EXPECT_EQ(library.entries().size(), all);
    for (int i = 0; i < 20; ++i)
        library.rescan(); // each cancels the one before
    ASSERT_TRUE(waitFor([&] { return !library.scanning(); }, 60'000));
    EXPECT_EQ(library.entries().size(), all);
    // What a search has found, but not told yet, when the next one begins is not told any more.
    qsizetype told = 0;
    QObject::connect(&library, &ModelLibrary::entriesFound, &library,
                     [&](const QList<ModelEntry> &entries) { told += entries.size(); });
    library.rescan();
    QThreadPool::globalInstance()->waitForDone();
    library.rescan();
    ASSERT_TRUE(waitFor([&] { return !library.scanning(); }, 60'000));
    QCoreApplication::processEvents();
    EXPECT_EQ(told, all);
    EXPECT_EQ(library.entries().size(), all);
    library.rescan(); // and the destructor ends the last
}

TEST_F(LibraryTest, aSearchEndsWhereTheProgramsThreadsAreAllTaken)
{
    copyModel(QStringLiteral("q8_0"), home("/.local/share/fireside/models/own.gguf"));
    QThreadPool &threads = *QThreadPool::globalInstance();
    const int before = threads.maxThreadCount();
    threads.setMaxThreadCount(1); // the search has it
    {
        ModelLibrary library;
        QSignalSpy finished(&library, &ModelLibrary::scanFinished);
        library.rescan();
        EXPECT_TRUE(waitFor([&] { return !finished.isEmpty(); }, 20'000));
        threads.setMaxThreadCount(before); // what hangs goes on, so that the library can end
    }
}

} // namespace
} // namespace fireside::test
