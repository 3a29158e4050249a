// Tokens that were computed once: taken over bit by bit, dropped when anything is wrong.
#include "engine/core/error.h"
#include "engine/generate/prefix_file.h"
#include "tests/generate/kept_chat.h"
#include "tests/support/golden.h"
#include "tests/support/require.h"
#include "tests/support/temp_dir.h"

#include <algorithm>
#include <fstream>
#include <sys/stat.h>

namespace fireside {
namespace {

using namespace test;
namespace fs = std::filesystem;

class PrefixCacheTest : public testing::Test
{
protected:
    std::unique_ptr<Session> computed(std::span<const TokenId> ids)
    {
        auto session = model.session(kContext, DType::F16);
        logitsAfter(*session, ids);
        return session;
    }
    void keep(PrefixCache &cache, std::span<const TokenId> ids, double rate = kSlow,
              const std::string &key = "key")
    {
        cache.keep(*computed(ids), key, rate);
    }
    /// How many tokens of a prompt a fresh session takes over.
    std::size_t takenOver(PrefixCache &cache, std::span<const TokenId> prompt,
                          const std::string &key = "key")
    {
        const auto session = model.session(kContext, DType::F16);
        const std::size_t count = cache.restore(*session, key, prompt);
        EXPECT_EQ(session->tokens().size(), count);
        EXPECT_TRUE(std::ranges::equal(session->tokens(), prompt.first(count)));
        return count;
    }
    std::vector<TokenId> chat(std::size_t count, std::size_t number = 0)
    {
        return chatIds(model, count, number);
    }
    std::vector<fs::path> files()
    {
        std::vector<fs::path> found;
        for (const auto &entry : fs::directory_iterator(folder.path()))
            found.push_back(entry.path());
        std::ranges::sort(found);
        return found;
    }
    std::string contents(const fs::path &path)
    {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    void write(const fs::path &path, const std::string &bytes)
    {
        std::ofstream(path, std::ios::binary) << bytes;
    }

    static constexpr int kContext = 400;
    ModelFixture model{goldenGguf("f16")};
    TempDir folder;
};

TEST_F(PrefixCacheTest, WhatIsTakenOverIsAsComputed)
{
    for (const DType type : {DType::F16, DType::Q8_0, DType::F32})
        expectTakenOverAsComputed(model, type, folder.path() / name(type), 300);
}

// Sliding windows; recurrent states with and without attention beside them; a latent cache.
TEST_F(PrefixCacheTest, EveryKindOfLayerIsTakenOverAsComputed)
{
    for (const char *name : {"gemma4", "qwen3.5", "mamba", "mamba2", "minicpm3"}) {
        const auto path = goldenFolder(name);
        const ModelFixture other(path);
        SCOPED_TRACE(name);
        for (const DType type : {DType::F16, DType::F32})
            expectTakenOverAsComputed(other, type, folder.path() / name / fireside::name(type), 90);
    }
}

TEST_F(PrefixCacheTest, AModelOverSeveralDevicesIsTakenOverAsComputed)
{
    for (const char *name : {"qwen3", "qwen3.5"}) {
        const auto path = goldenFolder(name);
        std::vector<int> devices(static_cast<std::size_t>(ModelFixture(path).layers()), 1);
        devices.front() = 0;
        const ModelFixture split(path, devices);
        expectTakenOverAsComputed(split, DType::F16, folder.path() / name, 80);
    }
}

TEST_F(PrefixCacheTest, StatesAreTakenOverWhereTheyWereKept)
{
    const auto path = goldenFolder("mamba");
    const ModelFixture mamba(path);
    PrefixCache cache({});
    const auto ids = chatIds(mamba, 200, 0);
    const auto first = mamba.session(kContext, DType::F16);
    logitsAfter(*first, std::span(ids).first(120)); // states are kept at its end
    for (std::size_t i = 120; i < 199; ++i)
        logitsAfter(*first, std::span(ids).subspan(i, 1));
    cache.keep(*first, "key", kSlow);
    auto other = ids;
    other[150] ^= 1;
    const auto second = mamba.session(kContext, DType::F16);
    ASSERT_EQ(cache.restore(*second, "key", other), 120U) << "where the prompt ended";
    const auto third = mamba.session(kContext, DType::F16);
    logitsAfter(*third, std::span(ids).first(120));
    EXPECT_EQ(logitsAfter(*second, std::span(other).subspan(120)),
              logitsAfter(*third, std::span(other).subspan(120)));
    EXPECT_EQ(cache.restore(*second, "key", ids), 199U - 120U) << "another branch";
}

TEST_F(PrefixCacheTest, BranchesShareWhatTheyHaveInCommon)
{
    PrefixCache cache({.folder = folder.path()});
    const auto first = chat(300);
    auto second = first;
    for (std::size_t i = 200; i < second.size(); ++i)
        second[i] ^= 1;
    keep(cache, first);
    keep(cache, first);
    EXPECT_EQ(cache.usage().tokens, 300U) << "once is enough";
    keep(cache, second);
    EXPECT_EQ(cache.usage().tokens, 400U);
    cache.waitUntilWritten();
    EXPECT_EQ(files().size(), 2U);
    EXPECT_EQ(takenOver(cache, first), 299U) << "one token is computed";
    EXPECT_EQ(takenOver(cache, second), 299U);

    const auto session = computed(std::span(first).first(150));
    EXPECT_EQ(cache.restore(*session, "key", second), 149U) << "only what it lacks";
    EXPECT_EQ(cache.restore(*session, "key", second), 0U);
    EXPECT_EQ(session->tokens().size(), 299U);
    const auto whole = model.session(kContext, DType::F16);
    EXPECT_EQ(cache.restore(*whole, "key", second), 299U);
    const auto got = logitsAfter(*session, std::span(second).last(1));
    const auto expected = logitsAfter(*whole, std::span(second).last(1));
    for (std::size_t i = 0; i < got.size(); ++i)
        ASSERT_NEAR(got[i], expected[i], 1e-4) << "its beginning was computed in another pass";
}

TEST_F(PrefixCacheTest, OnlyEqualKeysAndTokensCount)
{
    PrefixCache cache({});
    keep(cache, chat(300));
    EXPECT_EQ(takenOver(cache, chat(300), "other"), 0U);
    EXPECT_EQ(takenOver(cache, chat(300, 1)), 0U);
    auto prompt = chat(300);
    prompt[100] ^= 1;
    EXPECT_EQ(takenOver(cache, prompt), 100U);
    prompt[20] ^= 1;
    EXPECT_EQ(takenOver(cache, prompt), 0U) << "hardly anything";
    EXPECT_EQ(takenOver(cache, {}), 0U);
}

TEST_F(PrefixCacheTest, WhatIsQuicklyComputedIsNeitherKeptNorRead)
{
    PrefixCache cache({.folder = folder.path()});
    keep(cache, chat(300), 1e9);
    keep(cache, chat(300), 0);
    keep(cache, chat(300), -1);
    EXPECT_EQ(cache.usage().tokens, 0U);
    keep(cache, chat(300));
    cache.waitUntilWritten();
    PrefixCache again({.folder = folder.path()});
    keep(again, chat(300, 1), 1e9); // that is how quick it has become
    EXPECT_EQ(takenOver(again, chat(300)), 0U);
    EXPECT_EQ(files().size(), 1U);
}

TEST_F(PrefixCacheTest, ThereIsALimitAndTheOldestGoesFirst)
{
    std::uint64_t one = 0;
    {
        PrefixCache cache({.folder = folder.path()});
        keep(cache, chat(300));
        cache.waitUntilWritten();
        one = cache.usage().diskBytes;
        EXPECT_LE(one, fs::file_size(files().front()));
        EXPECT_GE(one, fs::file_size(files().front()) - 1000);
    }
    {
        PrefixCache cache({.folder = folder.path(), .diskLimit = 3 * one, .memoryLimit = 1});
        // Nothing can wait in so little memory.
        keep(cache, chat(300, 1));
        EXPECT_EQ(cache.usage().tokens, 300U);
    }
    PrefixCache cache({.folder = folder.path(), .diskLimit = 3 * one + one / 2});
    for (const std::size_t number : {1, 2})
        keep(cache, chat(300, number));
    cache.waitUntilWritten();
    EXPECT_EQ(files().size(), 3U);
    EXPECT_EQ(takenOver(cache, chat(300)), 299U); // now 1 is the oldest
    keep(cache, chat(300, 3));
    cache.waitUntilWritten();
    EXPECT_EQ(files().size(), 3U);
    EXPECT_EQ(takenOver(cache, chat(300, 1)), 0U);
    EXPECT_EQ(takenOver(cache, chat(300)), 299U);
    EXPECT_EQ(takenOver(cache, chat(300, 2)), 299U);

    cache.setDiskLimit(one);
    cache.waitUntilWritten();
    EXPECT_EQ(files().size(), 1U);
    EXPECT_EQ(takenOver(cache, chat(300, 2)), 299U) << "used last";
    cache.setDiskLimit(0);
    cache.waitUntilWritten();
    EXPECT_TRUE(files().empty());
    keep(cache, chat(300, 4));
    EXPECT_EQ(takenOver(cache, chat(300, 4)), 299U) << "in memory";
    cache.waitUntilWritten();
    EXPECT_TRUE(files().empty());
    cache.clear();
    EXPECT_EQ(cache.usage().tokens, 0U);
    EXPECT_EQ(cache.usage().memoryBytes, 0U);
    EXPECT_EQ(takenOver(cache, chat(300, 4)), 0U);
}

TEST_F(PrefixCacheTest, MemoryHasALimitOfItsOwn)
{
    const auto session = computed(chat(300));
    const std::uint64_t one = session->keptTokenBytes() * 300;
    PrefixCache cache({.memoryLimit = 2 * one + one / 2});
    for (const std::size_t number : {0, 1, 2})
        keep(cache, chat(300, number));
    EXPECT_EQ(cache.usage().memoryBytes, 2 * one);
    EXPECT_EQ(takenOver(cache, chat(300)), 0U);
    EXPECT_EQ(takenOver(cache, chat(300, 1)), 299U);
    EXPECT_EQ(takenOver(cache, chat(300, 2)), 299U);
}

TEST_F(PrefixCacheTest, DamagedFilesAreNotUsedAndGo)
{
    {
        PrefixCache cache({.folder = folder.path()});
        keep(cache, chat(300));
        cache.waitUntilWritten();
    }
    const fs::path path = files().front();
    const std::string whole = contents(path);
    const auto refused = [&](const std::string &bytes, const std::string &what) {
        for (const bool late : {false, true}) { // before the program looks, and after
            write(path, late ? whole : bytes);
            PrefixCache cache({.folder = folder.path()});
            EXPECT_EQ(cache.restore(*model.session(40, DType::F16), "", chat(2)), 0U); // has looked
            if (late)
                write(path, bytes);
            EXPECT_EQ(takenOver(cache, chat(300)), 0U) << what;
            cache.waitUntilWritten();
            EXPECT_TRUE(files().empty()) << what;
            EXPECT_EQ(cache.usage().diskBytes, 0U) << what;
        }
    };
    for (std::size_t at = 0; at < whole.size(); at = at < 100 ? at + 1 : at + whole.size() / 97) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
        refused(damaged, "byte " + std::to_string(at));
    }
    for (const std::size_t length : {std::size_t{0}, std::size_t{1}, std::size_t{71},
                                     std::size_t{72}, whole.size() / 2, whole.size() - 1})
        refused(whole.substr(0, length), std::to_string(length) + " bytes");
    refused(whole + "x", "too long");

    write(path, whole);
    fs::create_directory(folder / "folder.kept");
    write(folder / "notes.txt", "mine");
    write(folder / ("0123456789abcdef" + std::string(kPrefixFileEnding) + ".part-77"), "half");
    PrefixCache cache({.folder = folder.path()});
    EXPECT_EQ(takenOver(cache, chat(300)), 299U);
    cache.waitUntilWritten();
    EXPECT_EQ(files().size(), 3U) << "what others put there stays";
}

TEST_F(PrefixCacheTest, WhatFollowsOnALostFileGoes)
{
    {
        PrefixCache cache({.folder = folder.path()});
        keep(cache, chat(200));
        keep(cache, chat(300));
        cache.waitUntilWritten();
    }
    ASSERT_EQ(files().size(), 2U);
    const auto from = [](const fs::path &path) { return readPrefixHeader(path).from; };
    const fs::path first = from(files()[0]) == 0 ? files()[0] : files()[1];
    const fs::path second = from(files()[0]) == 0 ? files()[1] : files()[0];
    const std::string whole = contents(first), end = contents(second);
    write(second, end.substr(0, end.size() - 1) + "x");
    {
        PrefixCache cache({.folder = folder.path()});
        EXPECT_EQ(takenOver(cache, chat(300)), 200U) << "what is whole is used";
        cache.waitUntilWritten();
        EXPECT_EQ(files().size(), 1U);
    }
    write(second, end);
    fs::remove(first);
    PrefixCache cache({.folder = folder.path()});
    EXPECT_EQ(takenOver(cache, chat(300)), 0U);
    cache.waitUntilWritten();
    EXPECT_TRUE(files().empty());
}

TEST_F(PrefixCacheTest, AFolderThatCannotBeMadeLeavesMemory)
{
    write(folder / "file", "");
    PrefixCache cache({.folder = folder / "file"});
    keep(cache, chat(300));
    cache.waitUntilWritten();
    EXPECT_NE(cache.usage().problem, "");
    EXPECT_EQ(cache.usage().diskBytes, 0U);
    EXPECT_EQ(takenOver(cache, chat(300)), 299U);
    fs::remove(folder / "file");
    keep(cache, chat(300)); // the disk is there again
    cache.waitUntilWritten();
    EXPECT_EQ(cache.usage().problem, "");
    EXPECT_GT(cache.usage().diskBytes, 0U);
}

/// Chats are nobody else's business, whatever the user's mask allows.
TEST_F(PrefixCacheTest, FilesAreForTheirOwnerAlone)
{
    const mode_t mask = ::umask(0);
    const fs::path inside = folder / "a" / "kept";
    const auto modeOf = [](const fs::path &path) { return fs::status(path).permissions(); };
    {
        PrefixCache cache({.folder = inside});
        keep(cache, chat(300));
        cache.waitUntilWritten();
    }
    ::umask(mask);
    EXPECT_EQ(modeOf(inside), fs::perms::owner_all);
    const fs::path file = fs::directory_iterator(inside)->path();
    const fs::perms own = fs::perms::owner_read | fs::perms::owner_write;
    EXPECT_EQ(modeOf(file), own);
    fs::permissions(file, own | fs::perms::group_read | fs::perms::others_read);
    fs::permissions(inside, fs::perms(0755));
    PrefixCache cache({.folder = inside});
    EXPECT_EQ(takenOver(cache, chat(300)), 299U);
    EXPECT_EQ(modeOf(file), own) << "one of an earlier version";
    EXPECT_EQ(modeOf(inside), fs::perms(0755)) << "the user's own choice";
}

TEST_F(PrefixCacheTest, AStopLeavesNothingHalf)
{
    std::stop_source stopped;
    stopped.request_stop();
    PrefixCache cache({.folder = folder.path()});
    cache.keep(*computed(chat(300)), "key", kSlow, stopped.get_token());
    EXPECT_EQ(cache.usage().tokens, 0U);
    keep(cache, chat(300));
    const auto session = model.session(kContext, DType::F16);
    EXPECT_EQ(cache.restore(*session, "key", chat(300), stopped.get_token()), 0U);
    EXPECT_EQ(logitsAfter(*session, chat(50)),
              logitsAfter(*model.session(kContext, DType::F16), chat(50)))
        << "and a session can go on";
}

TEST_F(PrefixCacheTest, AFileIsNotReadForOtherTokens)
{
    PrefixNode node{.id = 1, .key = "k", .from = 0, .tokens = {1, 2, 3}};
    KeptTokens kept{.tokens = node.tokens, .rows = std::vector<std::byte>(100, std::byte{7})};
    kept.states.push_back({2, std::vector<std::byte>(9, std::byte{8})});
    node.states = {2};
    node.rowBytes = 100;
    node.stateBytes = 9;
    node.id = prefixId(node.key, 0, 0, node.tokens);
    writePrefixFile(folder.path(), node, kept, 0, {});
    const fs::path path = files().front();
    EXPECT_EQ(path, prefixFilePath(folder.path(), node.id));
    EXPECT_EQ(readPrefixFile(path, node), kept);
    PrefixNode other = node;
    other.tokens.back() = 4;
    EXPECT_THROW(readPrefixFile(path, other), Error);
    EXPECT_THROW(writePrefixFile(folder.path(), node, kept, ~std::uint64_t{0} / 2, {}), Error)
        << "room is left for others";
    EXPECT_THROW(readPrefixHeader(folder / "nothing"), Error);
}

} // namespace
} // namespace fireside
