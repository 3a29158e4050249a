// Files that change while they are read: an error says so, whatever was read of them.
#include "engine/core/error.h"
#include "engine/files/json_file.h"
#include "engine/files/model_file.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/safetensors_builder.h"
#include "tests/support/seed.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <random>
#include <thread>

namespace fireside {
namespace {

using test::GgufBuilder;
using test::TempDir;

/// Metadata over many pages, so that a cut is met in the middle of them.
GgufBuilder bigHeader()
{
    std::vector<std::string> words;
    for (int i = 0; i < 20'000; ++i)
        words.push_back("word number " + std::to_string(i));
    GgufBuilder b;
    b.string("general.architecture", "llama").strings("tokenizer.ggml.tokens", words);
    b.tensor("a.weight", DType::F32, {64, 64});
    return b;
}

std::string messageOf(const std::function<void()> &body)
{
    try {
        body();
    } catch (const Error &e) {
        return e.what();
    }
    return "no error";
}

class ChangedFileTest : public testing::Test
{
protected:
    ChangedFileTest() { bigHeader().write(m_path); }
    TempDir m_folder;
    std::filesystem::path m_path = m_folder / "model.gguf";
};

TEST_F(ChangedFileTest, EveryMapIsGuarded)
{
    // In a process of its own, where nothing else has installed the guard.
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            std::signal(SIGBUS, SIG_DFL);
            const MappedFile file(m_path);
            std::filesystem::resize_file(m_path, 0);
            std::exit(
                static_cast<int>(*static_cast<const volatile std::byte *>(file.bytes().data())));
        },
        testing::ExitedWithCode(0), "");
}

TEST_F(ChangedFileTest, WhatWasReadOfACutFileIsNotTrusted)
{
    const ModelFile file = ModelFile::open(m_path);
    EXPECT_EQ(readUnchanged(file, [] { return 7; }), 7);
    std::filesystem::resize_file(m_path, 5000);
    const std::string expected = "the model file changed on disk: " + m_path.string();
    EXPECT_EQ(messageOf([&] { file.requireUnchanged(); }), expected);
    EXPECT_EQ(messageOf([&] { readUnchanged(file, [] { return 7; }); }), expected);
    // A mistake found in a damaged file is no mistake of the file as it was.
    EXPECT_EQ(messageOf([&] { readUnchanged(file, []() -> int { throwBadInput("a bad key"); }); }),
              expected);
    const GgufArray *words = file.gguf()->findArray("tokenizer.ggml.tokens");
    std::size_t sum = 0;
    for (const std::string_view word : words->strings)
        for (const char c : word)
            sum += static_cast<unsigned char>(c);
    EXPECT_GT(sum, 0u); // what is left of it
    EXPECT_TRUE(file.gguf()->file().faulted());
}

TEST_F(ChangedFileTest, ReplacedTouchedAndDeletedFilesHaveChanged)
{
    for (const int way : {0, 1, 2, 3}) {
        bigHeader().write(m_path);
        const ModelFile file = ModelFile::open(m_path);
        file.requireUnchanged();
        if (way == 0) {
            std::filesystem::remove(m_path);
        } else if (way == 1) { // same size, another file
            std::filesystem::copy_file(m_path, m_folder / "other");
            std::filesystem::rename(m_folder / "other", m_path);
        } else if (way == 2) { // written in place
            const auto time = std::filesystem::last_write_time(m_path);
            std::filesystem::last_write_time(m_path, time + std::chrono::seconds(5));
        } else {
            std::ofstream(m_path, std::ios::app) << "more";
        }
        EXPECT_NE(messageOf([&] { file.requireUnchanged(); }).find("changed on disk"),
                  std::string::npos)
            << way;
    }
}

TEST(ChangedFolder, AnyOfItsFilesCounts)
{
    const TempDir folder;
    test::writeText(folder / "config.json", "{}");
    test::SafetensorsBuilder weights;
    weights.tensor("a", "F32", {2, 2}, std::vector<std::byte>(16));
    weights.write(folder / "model.safetensors");
    for (const char *name : {"config.json", "model.safetensors"}) {
        const ModelFile file = ModelFile::open(folder.path());
        file.requireUnchanged();
        const auto time = std::filesystem::last_write_time(folder / name);
        std::filesystem::last_write_time(folder / name, time + std::chrono::seconds(5));
        EXPECT_NE(messageOf([&] { file.requireUnchanged(); }).find(name), std::string::npos);
    }
}

/// One thread cuts and restores the file all the time; readers get all of it or an error.
TEST_F(ChangedFileTest, ReadersOfAFileThatIsCutAllTheTimeLive)
{
    const std::vector<std::byte> whole = test::readFile(m_path);
    std::atomic<bool> done = false;
    std::mt19937 random = test::generator();
    std::thread writer([&] {
        while (!done) {
            std::filesystem::resize_file(m_path, random() % whole.size());
            std::this_thread::yield();
            test::writeFile(m_path, whole);
        }
    });
    int right = 0, errors = 0;
    for (int round = 0; round < 400; ++round) {
        try {
            const ModelFile file = ModelFile::open(m_path);
            const std::string last = readUnchanged(file, [&] {
                return std::string(file.gguf()->findArray("tokenizer.ggml.tokens")->strings.back());
            });
            EXPECT_EQ(last, "word number 19999");
            ++right;
        } catch (const Error &) {
            ++errors;
        }
    }
    done = true;
    writer.join();
    EXPECT_EQ(right + errors, 400);
    // The last round of the writer leaves the complete file.
    EXPECT_EQ(ModelFile::open(m_path).gguf()->findArray("tokenizer.ggml.tokens")->strings.back(),
              "word number 19999");
    std::printf("%d read whole, %d errors\n", right, errors);
}

TEST(TextFiles, OnlyRegularFilesUpToABound)
{
    const TempDir folder;
    test::writeText(folder / "text", "twelve bytes");
    EXPECT_EQ(readTextFile(folder / "text", 12), "twelve bytes");
    EXPECT_NE(messageOf([&] { readTextFile(folder / "text", 11); }).find("too large (12 B"),
              std::string::npos);
    EXPECT_NE(messageOf([&] { readTextFile("/dev/zero", 1 << 20); }).find("not a regular file"),
              std::string::npos);
    EXPECT_NE(messageOf([&] { readTextFile(folder / "none", 11); }).find("No such file"),
              std::string::npos);
    test::writeText(folder / "deep", std::string(100'000, '['));
    EXPECT_NE(messageOf([&] { readJsonText(folder / "deep", 1 << 20); }).find("nest deeper"),
              std::string::npos);
}

} // namespace
} // namespace fireside
