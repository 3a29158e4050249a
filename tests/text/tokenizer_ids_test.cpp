// Special ids that are no ids are errors that name their key, in every file that has some.
#include "engine/core/error.h"
#include "tests/support/safetensors_builder.h"
#include "tests/text/tokenizer_builder.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

namespace fireside::test {
namespace {

std::string errorOf(const std::function<void()> &body)
{
    try {
        body();
    } catch (const Error &e) {
        EXPECT_EQ(e.kind(), ErrorKind::BadInput);
        return e.what();
    }
    return "no error";
}

constexpr const char *kGgufKeys[] = {"bos_token_id",       "eos_token_id",  "unknown_token_id",
                                     "eot_token_id",       "eom_token_id",  "padding_token_id",
                                     "separator_token_id", "mask_token_id", "fim_pre_token_id"};

TEST(SpecialIds, OfGgufThatAreNotNeededAreIgnoredWhereTheyAreNoTokens)
{
    for (const std::string name : kGgufKeys) {
        const std::string key = "tokenizer.ggml." + name;
        const bool needed = name == "eos_token_id" || name == "bos_token_id";
        const BpePieces pieces;
        // -1 says none, also as an unsigned number.
        EXPECT_EQ(errorOf([&] { openGguf(pieces.builder().i32(key, -1)); }), "no error") << key;
        EXPECT_EQ(errorOf([&] { openGguf(pieces.builder().u32(key, 0xffffffff)); }), "no error")
            << key;
        for (const std::uint32_t id : {259u, 999999u}) {
            const std::string error = errorOf([&] { openGguf(pieces.builder().u32(key, id)); });
            EXPECT_EQ(error == "no error", !needed) << key << ": " << error;
        }
    }
    const auto first = openGguf(BpePieces()
                                    .builder()
                                    .i32("tokenizer.ggml.bos_token_id", -1)
                                    .boolean("tokenizer.ggml.add_bos_token", true));
    EXPECT_FALSE(first->bos());
    EXPECT_EQ(first->encode(MarkedText::trusted("a"), true),
              first->encode(MarkedText::trusted("a"), false));
    const std::string bos = errorOf([&] {
        openGguf(BpePieces()
                     .builder()
                     .u32("tokenizer.ggml.bos_token_id", 259)
                     .boolean("tokenizer.ggml.add_bos_token", true));
    });
    EXPECT_NE(bos.find("259 is outside the vocabulary of 259"), std::string::npos) << bos;
}

TEST(SpecialIds, OfGgufAreCheckedWhetherUsedOrNot)
{
    for (const std::string name : kGgufKeys) {
        const std::string key = "tokenizer.ggml." + name;
        const auto expect = [&](GgufBuilder file, const std::string &part) {
            const std::string error = errorOf([&] { openGguf(file); });
            EXPECT_NE(error.find(key), std::string::npos) << key << ": " << error;
            EXPECT_NE(error.find(part), std::string::npos) << key << ": " << error;
        };
        const BpePieces pieces;
        EXPECT_EQ(errorOf([&] { openGguf(pieces.builder().u32(key, 258)); }), "no error") << key;
        EXPECT_EQ(errorOf([&] { openGguf(pieces.builder().i32(key, 5)); }), "no error") << key;
        expect(pieces.builder().string(key, "</s>"), "'</s>'");
        expect(pieces.builder().f32(key, 2.0f), "2.0");
        expect(pieces.builder().boolean(key, true), "true");
    }
}

TEST(SpecialIds, OfFoldersAreChecked)
{
    const TempDir folder;
    writeText(folder / "tokenizer.json", smallTokenizerJson().dump());
    for (const char *file : {"generation_config.json", "config.json"}) {
        for (const char *key : {"bos_token_id", "eos_token_id"}) {
            const auto open = [&](const nlohmann::json &value) {
                writeText(folder / file, nlohmann::json{{key, value}}.dump());
                return errorOf([&] { Tokenizer::open(folder.path()); });
            };
            for (const auto &good : {nlohmann::json(259), nlohmann::json(nullptr),
                                     nlohmann::json::array({259, 260}), nlohmann::json::array()})
                EXPECT_EQ(open(good), "no error") << good;
            for (const auto &bad : {nlohmann::json(-1), nlohmann::json(262), nlohmann::json(1e30),
                                    nlohmann::json(2.5), nlohmann::json("</s>"),
                                    nlohmann::json(true), nlohmann::json::object(),
                                    nlohmann::json::array({1, "x"}), nlohmann::json::array({1, -2}),
                                    nlohmann::json(std::numeric_limits<std::uint64_t>::max())}) {
                const std::string error = open(bad);
                EXPECT_NE(error.find((folder / file).string()), std::string::npos)
                    << bad << ": " << error;
                EXPECT_NE(error.find(std::string("'") + key + "'"), std::string::npos) << error;
            }
        }
        std::filesystem::remove(folder / file);
    }
}

TEST(SpecialIds, EndRepliesWhateverTheirTexts)
{
    const auto gguf = openGguf(BpePieces()
                                   .builder()
                                   .u32("tokenizer.ggml.eos_token_id", 5)
                                   .u32("tokenizer.ggml.eot_token_id", 7)
                                   .u32("tokenizer.ggml.eom_token_id", 9));
    for (const TokenId id : {4, 5, 6, 7, 8, 9, 10})
        EXPECT_EQ(gguf->endsGeneration(id), id % 2 == 1) << id;

    const TempDir folder;
    writeText(folder / "tokenizer.json", smallTokenizerJson().dump());
    EXPECT_FALSE(Tokenizer::open(folder.path())->endsGeneration(260));
    writeText(folder / "generation_config.json", R"({"eos_token_id": [259, 260]})");
    const auto opened = Tokenizer::open(folder.path());
    EXPECT_TRUE(opened->endsGeneration(259));
    EXPECT_TRUE(opened->endsGeneration(260));
    EXPECT_FALSE(opened->endsGeneration(261));
}

TEST(SpecialIds, OfListsInGgufFilesEndReplies)
{
    for (const char *key :
         {"eos_token_id", "eot_token_id", "eom_token_id", "eos_token_ids", "eog_token_ids"}) {
        const std::string name = std::string("tokenizer.ggml.") + key;
        const auto opened = openGguf(BpePieces().builder().i32Array(name, std::vector{4, 8}));
        for (const TokenId id : {4, 8})
            EXPECT_TRUE(opened->endsGeneration(id)) << key;
        EXPECT_FALSE(opened->endsGeneration(6)) << key;
    }
    for (const std::int32_t bad : {-2, 259})
        EXPECT_THROW(openGguf(BpePieces().builder().i32Array("tokenizer.ggml.eos_token_id",
                                                             std::vector{4, bad})),
                     Error);
}

TEST(SpecialIds, OfEveryFileOfAFolderEndReplies)
{
    const struct
    {
        const char *file, *text;
    } cases[] = {{"generation_config.json", R"({"eos_token_id": [260]})"},
                 {"config.json", R"({"eos_token_id": 260})"},
                 {"config.json", R"({"text_config": {"eos_token_id": [5, 260]}})"},
                 {"tokenizer_config.json", R"({"eos_token": "<think>"})"},
                 {"tokenizer_config.json", R"({"eos_token": {"content": "<think>"}})"},
                 {"tokenizer_config.json", R"({"eos_token": ["<|im_end|>", "<think>"]})"},
                 {"special_tokens_map.json", R"({"eos_token": "<think>"})"}};
    for (const auto &[file, text] : cases) {
        const TempDir folder;
        writeText(folder / "tokenizer.json", smallTokenizerJson().dump());
        writeText(folder / "generation_config.json", R"({"eos_token_id": 7})");
        writeText(folder / file, text);
        EXPECT_TRUE(Tokenizer::open(folder.path())->endsGeneration(260)) << file << text;
    }
}

TEST(SpecialIds, EndMarkersAreSpecialTokens)
{
    // As an added token that text may spell, or as a word of the vocabulary, "</s>" is text.
    auto json = smallTokenizerJson();
    json["added_tokens"].push_back({{"id", 262}, {"content", "</s>"}, {"special", false}});
    EXPECT_FALSE(openJson(json.dump())->endsGeneration(262));
    json["added_tokens"].back()["special"] = true;
    EXPECT_TRUE(openJson(json.dump())->endsGeneration(262));
    for (const char *text : {"<|flush|>", "<|calls|>", "[EOS]", "<|assistant_end|>", "[e~["}) {
        json["added_tokens"].back()["content"] = text;
        EXPECT_TRUE(openJson(json.dump())->endsGeneration(262)) << text;
    }
}

/// One far id must not make a table of millions.
TEST(SpecialIds, FarAboveTheVocabularyAreRefused)
{
    auto json = smallTokenizerJson();
    json["added_tokens"][0]["id"] = 60'000;
    EXPECT_EQ(errorOf([&] { openJson(json.dump()); }), "no error");
    json["added_tokens"][0]["id"] = 16'000'000;
    EXPECT_NE(errorOf([&] { openJson(json.dump()); }).find("the id 16000000, far above"),
              std::string::npos);
    json = smallTokenizerJson();
    json["model"]["vocab"]["in"] = 16'000'000;
    EXPECT_NE(errorOf([&] { openJson(json.dump()); }).find("the id 16000000, far above"),
              std::string::npos);
}

TEST(ForeignNames, OfTokensAreShortInErrors)
{
    auto json = smallTokenizerJson();
    json["model"]["vocab"][std::string(1'000'000, 'x') + '\x1b'] = -1;
    const std::string error = errorOf([&] { openJson(json.dump()); });
    EXPECT_NE(error.find("xxx…'"), std::string::npos);
    EXPECT_LT(error.size(), 600u);
}

} // namespace
} // namespace fireside::test
