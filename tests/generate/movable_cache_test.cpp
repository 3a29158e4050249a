// A model that takes its tokens over from what another run of the program computed.
#include "engine/movable_model.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace fireside {
namespace {

namespace fs = std::filesystem;

class MovableCacheTest : public testing::Test
{
protected:
    struct Told
    {
        std::string text;
        GenerateStats stats;
    };
    /// As a run of the program: one reply, which is kept.
    Told reply(const fs::path &model, LoadOptions options = {})
    {
        options.backend = BackendKind::Cpu;
        options.threads = 2;
        Engine engine;
        PrefixCache cache({.folder = folder / "kept", .always = true});
        MovableModel loaded(engine, {}, &cache);
        loaded.load(model, options);
        key = loaded.model()->cacheKey();
        GenerateRequest request;
        request.prompt = loaded.model()->chatTokens({{"user", words()}});
        request.sampler.temperature = 0;
        request.maxTokens = 8;
        Told told;
        GenerateEvents events;
        events.text = [&](std::string_view piece, const GenerateStats &) { told.text += piece; };
        told.stats = loaded.reply(request, events).stats;
        loaded.keep();
        cache.waitUntilWritten();
        EXPECT_EQ(cache.usage().problem, "");
        return told;
    }
    /// A question whose answer is sure: of its first words each is likelier than the next one by at
    /// least 0.77, where orders of summing differ by some 0.2 (a near tie would be decided by
    /// them).
    static std::string words()
    {
        std::string text;
        for (int i = 0; i < 60; ++i)
            text += "Fireside is a program. ";
        return text + "Who are you?";
    }

    const fs::path starter =
        FIRESIDE_SOURCE_DIR "/resources/models/fireside-starter-29m-q5_k_m.gguf";
    test::TempDir folder;
    std::string key;
};

TEST_F(MovableCacheTest, TheSameReplyComesWithoutReadingThePromptAgain)
{
    const Told first = reply(starter), second = reply(starter), third = reply(starter);
    EXPECT_EQ(first.stats.reusedTokens, 0);
    EXPECT_GT(first.stats.promptTokens, 300);
    EXPECT_EQ(second.stats.reusedTokens, second.stats.promptTokens - 1);
    EXPECT_FALSE(first.text.empty());
    EXPECT_EQ(second.text, first.text);
    EXPECT_EQ(third.text, second.text);
    Engine engine;
    MovableModel none(engine);
    none.keep(); // there is nothing, and nowhere
}

TEST_F(MovableCacheTest, AnotherCacheTypeOrModelIsAnotherMatter)
{
    const Told first = reply(starter);
    const std::string firstKey = key;
    EXPECT_EQ(reply(starter, {.kvType = DType::Q8_0}).stats.reusedTokens, 0);
    EXPECT_NE(key, firstKey);

    std::ifstream in(starter, std::ios::binary);
    std::stringstream bytes;
    bytes << in.rdbuf();
    std::string contents = bytes.str();
    const fs::path copy = folder / "copy.gguf";
    const auto write = [&] { std::ofstream(copy, std::ios::binary) << contents; };
    write();
    EXPECT_EQ(reply(copy).stats.reusedTokens, first.stats.promptTokens - 1) << "the same contents";
    EXPECT_EQ(key, firstKey);
    // Weights of the same form: of every 4 kB a byte, as another training gives.
    for (std::size_t at = contents.size() / 2; at < contents.size(); at += 4096)
        contents[at] = static_cast<char>(contents[at] ^ 1);
    write();
    EXPECT_EQ(reply(copy).stats.reusedTokens, 0);
    EXPECT_NE(key, firstKey);
}

} // namespace
} // namespace fireside
