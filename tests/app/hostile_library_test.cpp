// The picker's scan over files that change under it and names that are none.
#include "app/models/model_description.h"
#include "app/models/model_source.h"

#include "support.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/seed.h"
#include "tests/support/temp_dir.h"

#include <QFile>

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include <sys/stat.h>

namespace fireside::test {
namespace {

GgufBuilder model(const std::string &name)
{
    std::vector<std::string> words;
    for (int i = 0; i < 20'000; ++i)
        words.push_back("word number " + std::to_string(i));
    GgufBuilder b;
    b.string("general.architecture", "llama").string("general.name", name);
    b.u32("llama.block_count", 1).u32("llama.embedding_length", 32);
    b.u32("llama.attention.head_count", 4).u32("llama.feed_forward_length", 64);
    b.u32("llama.context_length", 128).strings("tokenizer.ggml.tokens", words);
    b.tensor("token_embd.weight", DType::F32, {32, 16});
    return b;
}

ModelEntry describe(const std::filesystem::path &path)
{
    FoundModel found;
    found.path = QFile::decodeName(path.c_str());
    return describeFound(found, {}, nullptr);
}

TEST(HostileLibrary, AFileThatIsCutAllTheTimeIsDescribedOrHasAProblem)
{
    const TempDir folder;
    const auto path = folder / "model.gguf";
    model("Whole").write(path);
    ASSERT_EQ(describe(path).name, QStringLiteral("Whole"));
    const std::vector<std::byte> whole = readFile(path);
    std::atomic<bool> done = false;
    std::mt19937 random = generator();
    std::thread writer([&] {
        while (!done) {
            std::filesystem::resize_file(path, random() % whole.size());
            std::this_thread::yield();
            writeFile(path, whole);
        }
    });
    for (int round = 0; round < 200; ++round) {
        const ModelEntry entry = describe(path);
        if (entry.problem.isEmpty()) {
            EXPECT_EQ(entry.name, QStringLiteral("Whole"));
            EXPECT_EQ(entry.contextTrained, 128);
        }
    }
    done = true;
    writer.join();
}

TEST(HostileLibrary, NamesAreOneHarmlessShortLine)
{
    const TempDir folder;
    const auto path = folder / "e\x1b[31m\n.gguf";
    model("n\x1b[2J\n\xe2\x80\xae" + std::string(1'000'000, 'x')).write(path);
    const ModelEntry entry = describe(path);
    EXPECT_TRUE(entry.name.startsWith(QStringLiteral("n\\x1b[2J\\n\\u202exxx")))
        << qPrintable(entry.name.left(80));
    EXPECT_LE(entry.name.size(), 1001);

    writeFile(path, {});
    const ModelEntry broken = describe(path);
    EXPECT_EQ(broken.name, QStringLiteral("e\\x1b[31m\\n"));
    EXPECT_FALSE(broken.problem.isEmpty());
    for (const QChar c : broken.problem)
        EXPECT_GE(c, QChar(u' ')) << qPrintable(broken.problem);
}

class Sink final : public ModelSink
{
public:
    bool cancelled() const override { return false; }
    void visiting(const QString &) override {}
    void found(const FoundModel &) override {}
    void problem(const QString &path, const QString &) override { m_problems.append(path); }
    QStringList m_problems;
};

TEST(HostileLibrary, PipesAndDevicesInPlaceOfSmallFilesAreProblems)
{
    const TempDir folder;
    const std::string pipe = (folder / "settings.json").string();
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    Sink sink;
    EXPECT_TRUE(readSmallFile(QString::fromStdString(pipe), sink).isEmpty()); // and returns
    EXPECT_TRUE(readSmallFile(QStringLiteral("/dev/zero"), sink).isEmpty());
    EXPECT_EQ(sink.m_problems.size(), 2);
}

} // namespace
} // namespace fireside::test
