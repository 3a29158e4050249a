// The long lists of a tokenizer.json are taken out of its text: the same comes out as by JSON.
#include "engine/core/error.h"
#include "engine/files/json_file.h"
#include "engine/text/readers/long_lists.h"
#include "tests/text/tokenizer_builder.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

namespace fireside {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class LongListsOfTokenizers : public testing::Test
{
protected:
    /// What the JSON parser alone makes of the text.
    static json parsed(const std::string &text) { return parseJsonText(text, "text"); }

    /// That, put together again from lists and rest. taken: whether lists were found.
    static json reassembled(const std::string &text, bool *taken = nullptr)
    {
        std::string rest;
        auto lists = takeLongLists(text, rest);
        if (taken)
            *taken = false;
        if (!lists)
            return parsed(text);
        json root = parsed(rest);
        json &model = root["model"];
        EXPECT_TRUE(model["vocab"].empty());
        if (lists->ids)
            for (const auto &[key, id] : lists->ids->entries)
                model["vocab"][std::string(key)] = id;
        if (lists->scores)
            for (const auto &[piece, score] : lists->scores->entries)
                model["vocab"].push_back({std::string(piece), score});
        if (lists->merges.valid()) {
            EXPECT_EQ(model["merges"], json::array());
            LongList<LongLists::Pair> merges;
            try {
                merges = lists->merges.get();
            } catch (const Error &) {
                return parsed(text);
            }
            for (const auto &[left, right] : merges.entries)
                model["merges"].push_back({std::string(left), std::string(right)});
        }
        if (taken)
            *taken = true;
        return root;
    }
    /// Merges as pairs, as they come out of the lists.
    static json withPairs(json root)
    {
        if (!root.is_object() || !root.contains("model") || !root["model"].is_object() ||
            !root["model"].contains("merges"))
            return root;
        for (json &merge : root["model"]["merges"])
            if (merge.is_string()) {
                const std::string both = merge;
                merge = {both.substr(0, both.find(' ')), both.substr(both.find(' ') + 1)};
            }
        return root;
    }
    static void expectTaken(const std::string &text)
    {
        bool taken = false;
        EXPECT_EQ(reassembled(text, &taken), withPairs(parsed(text))) << text;
        EXPECT_TRUE(taken) << text;
    }
    static void expectLeft(const std::string &text)
    {
        bool taken = true;
        EXPECT_EQ(reassembled(text, &taken), parsed(text)) << text;
        EXPECT_FALSE(taken) << text;
    }
};

/// So long that another thread guesses where the merges are.
std::string padded(std::string text)
{
    return text.insert(1, "\"pad\": \"" + std::string(5000, 'p') + "\",");
}

TEST_F(LongListsOfTokenizers, UsualListsAreTakenOut)
{
    expectTaken(R"({"a": [1, {"model": 2}], "model": {"vocab": {"x": 0, "\u0120y": 12, "\"\\": 3},
        "more": {"vocab": {"no": 1}, "merges": ["n o"]}, "merges": ["x y", "\u0120 z"]}, "b": "}"})");
    for (
        const char *usual :
        {"{\"model\":{\"merges\":[[\"a b\",\"c\"] , [ \"\xC4\xA0\" , \"d\" ]],\"vocab\":"
         "{\"\xC4\xA0\":1}}}",
         R"({"vocab": {"top": 1}, "model": {"vocab": {"a": 999999999999999999}}})",
         R"({"model": {"type": "BPE", "vocab": {"a": 1}}, "c": {"model": {"vocab": {}}}})",
         R"({"model": {"vocab": {"a": 1, "merges": 2}, "merges": ["m erges"]}})",
         R"({"model": {"vocab": {"\ud83d\ude00\n": 1}, "merges": ["\ud83d\ude00\u0020\n"]}})",
         R"({"model": {"vocab": {"seventeen letters, a \\ and more of them": 1}, "merges": [
              [ "sixteen letters!" , "Ã¼ fifteen bytes" ] , ["a b", "c d"]
            ]
          }})",
         R"({"model": {"vocab": [["a", -1.5], ["\u00fc", 0], ["c", 1E+2], ["d", -7e-3], ["a", -0]]}})"}) {
        expectTaken(usual);
        expectTaken(padded(usual));
    }
}

TEST_F(LongListsOfTokenizers, WhatIsUnusualIsLeftToTheParser)
{
    for (const char *model : {R"({"vocab": {}})",
                              R"({"vocab": {"a": -1}})",
                              R"({"vocab": {"a": 1.5}})",
                              R"({"vocab": {"a": 1e3}})",
                              R"({"vocab": {"a": "1"}})",
                              R"({"vocab": {"a": null}})",
                              R"({"vocab": {"": 1}})",
                              R"({"vocab": {"a": 1234567890123456789}})",
                              R"({"vocab": {"a": 12345678901234567890}})",
                              R"({"vocab": []})",
                              R"({"vocab": ["a"]})",
                              R"({"vocab": [["a", "1"]]})",
                              R"({"vocab": [["a", 1, 2]]})",
                              R"({"vocab": [["a", 1e-999]]})",
                              R"({"vocab": {"a": 1}, "merges": []})",
                              R"({"vocab": {"a": 1}, "merges": ["a"]})",
                              R"({"vocab": {"a": 1}, "merges": ["a b c"]})",
                              R"({"merges": [["a"]]})",
                              R"({"vocab": {"a": 1}, "merges": ["a b"], "merges": ["c d"]})",
                              R"({"merges": ["a b"]})",
                              R"({"merges": [["a", "b", "c"]]})",
                              R"({"merges": [["a", 1]]})",
                              R"({"merges": {}})",
                              R"({"vocab": {"a": 1}, "vocab": {"b": 2}})",
                              R"({"voc\u0061b": {"a": 1}})",
                              R"({"merges": ["a b"], "vocab": [["a", 1]], "vocab": {"a": 1}})"}) {
        const std::string text = std::string(R"({"model": )") + model + "}";
        expectLeft(text);
        expectLeft(padded(text));
    }
    expectLeft(R"({"model": {"vocab": {"a": 1}}, "model": {"vocab": {"b": 1}}})");
    expectLeft(R"({"vocab": {"a": 1}, "merges": ["a b"]})");
    expectLeft("[]");
    expectLeft("3");
    // Guessed wrongly.
    expectLeft(
        padded(R"({"x": {"merges": ["n o"]}, "model": {"vocab": {"a": 1}, "merges": ["a b"]}})"));
    expectLeft(padded(R"({"model": {"vocab": {"a": 1}, "merges": ["a b"]}, "x": {"y": ["z"]}})"));
}

TEST_F(LongListsOfTokenizers, BrokenTextsAreNoJsonEither)
{
    const std::string good = R"({"model": {"vocab": {"a": 0, "b": 1}, "merges": ["a b"]}})";
    for (std::size_t size = 0; size < good.size(); ++size)
        EXPECT_THROW(reassembled(good.substr(0, size)), Error) << size;
    const auto broken = [&](const std::string &from, const std::string &to) {
        std::string text = good;
        text.replace(text.find(from), from.size(), to);
        EXPECT_THROW(parsed(text), Error) << text;
        EXPECT_THROW(reassembled(text), Error) << text;
    };
    broken("0,", "0");
    broken("0", "00");
    broken("1}", "1,}");
    broken("\"a\":", "\"a\"");
    broken("\"a\":", "\"\xFF\":");
    broken("\"a\":", "\"\xC4\":");
    broken("\"a\":", "\"\n\":");
    broken("\"a\":", "\"\\x\":");
    broken("\"a\":", "\"\\uD800\":");
    broken("[\"a b\"]", "[\"a b\",]");
    broken("[\"a b\"]", "[\"a\xFF b\"]");
    broken("]}}", "]}}}");
    broken("]}}", "]}} x");
    std::string deep(200, '[');
    EXPECT_THROW(reassembled(R"({"model": {"vocab": {"a": 1}}, "x": )" + deep + "}"), Error);
}

/// Any byte of a file changed: both say the same, or both refuse.
TEST_F(LongListsOfTokenizers, EveryChangedByteMeansTheSame)
{
    const std::string good =
        R"({"added_tokens":[{"id":2,"content":"<x>"}],"model":{"vocab":{"a":0,"\u0062":1},"merges":["a b"]}})";
    for (std::size_t at = 0; at < good.size(); ++at) {
        for (const char c : {'"', '{', ']', ',', ':', '\\', '0', ' ', '\x7F', '\x80', '\0'}) {
            std::string text = good;
            text[at] = c;
            json wanted, found;
            bool refused = false, alsoRefused = false;
            try {
                wanted = parsed(text);
            } catch (const Error &) {
                refused = true;
            }
            bool taken = false;
            try {
                found = reassembled(text, &taken);
            } catch (const Error &) {
                alsoRefused = true;
            }
            ASSERT_EQ(alsoRefused, refused) << text;
            // Of equal keys JSON keeps one; the list has both, which is an error later on.
            if (!refused) {
                ASSERT_EQ(found, taken ? withPairs(wanted) : wanted) << text;
            }
        }
    }
}

TEST_F(LongListsOfTokenizers, GoldenOnesAreTakenOut)
{
    int withLists = 0;
    for (const fs::directory_entry &folder :
         fs::directory_iterator(fs::path(FIRESIDE_TEST_DATA) / "golden" / "tokenizers")) {
        const fs::path path = folder.path() / "tokenizer.json";
        if (!fs::exists(path))
            continue;
        std::ifstream in(path, std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(in), {}};
        bool taken = false;
        const json found = reassembled(text, &taken);
        EXPECT_EQ(found, taken ? withPairs(parsed(text)) : parsed(text)) << path;
        withLists += taken;
    }
    EXPECT_EQ(withLists, 12);
}

/// A key with an escape is unusual.
std::string withoutLists(std::string text)
{
    return text.replace(text.find("\"vocab\""), 7, "\"v\\u006fcab\"");
}

/// Both ways to a tokenizer say the same of each token, and cut texts the same.
TEST_F(LongListsOfTokenizers, BothWaysMakeTheSameTokenizer)
{
    for (const fs::directory_entry &folder :
         fs::directory_iterator(fs::path(FIRESIDE_TEST_DATA) / "golden" / "tokenizers")) {
        std::ifstream in(folder.path() / "tokenizer.json", std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(in), {}};
        std::string rest;
        ASSERT_FALSE(takeLongLists(withoutLists(text), rest));
        const auto one = test::openJson(text), other = test::openJson(withoutLists(text));
        ASSERT_EQ(one->size(), other->size()) << folder.path();
        for (TokenId id = 0; id < static_cast<TokenId>(one->size()); ++id) {
            ASSERT_EQ(one->bytes(id), other->bytes(id)) << folder.path() << ' ' << id;
            ASSERT_EQ(one->isControl(id), other->isControl(id)) << folder.path() << ' ' << id;
        }
        const json vectors = readJsonFile(folder.path() / "vectors.json", 1 << 24);
        ASSERT_EQ(one->encode(MarkedText::trusted(vectors.dump()), true),
                  other->encode(MarkedText::trusted(vectors.dump()), true))
            << folder.path();
    }
}

TEST_F(LongListsOfTokenizers, TheLastOfEqualKeysCounts)
{
    json good = test::smallTokenizerJson();
    std::string text = good.dump();
    // "in" has the id 258; before that, once more, one that is free.
    text.replace(text.find("\"in\":258"), 8, "\"in\":262,\"in\":258");
    const auto tokenizer = test::openJson(text);
    EXPECT_EQ(tokenizer->encode(MarkedText::trusted("in"), false), std::vector<TokenId>{258});
}

TEST_F(LongListsOfTokenizers, WhatIsWrongIsSaidAsEver)
{
    const auto complaint = [](const std::string &text) -> std::string {
        try {
            test::openJson(text);
        } catch (const Error &error) {
            const std::string what = error.what();
            return what.substr(what.find("tokenizer.json"));
        }
        return "nothing";
    };
    const std::string good = test::smallTokenizerJson().dump();
    const auto expect = [&](const char *from, const char *to, const char *wanted) {
        std::string text = good;
        const std::size_t at = text.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        EXPECT_EQ(complaint(text.replace(at, std::strlen(from), to)), wanted);
    };
    expect("\"in\":258", "\"in\":257",
           R"(tokenizer.json: model.vocab: 'in' and 'the' have the same id)");
    expect("\"in\":258", "\"in\":-1", R"(tokenizer.json: model.vocab: 'in' has a bad id: -1)");
    expect(
        "\"in\":258", "\"in\":99999999",
        R"(tokenizer.json: model.vocab: 'in' has the id 99999999, far above the file's 262 tokens)");
    expect(R"(["th","e"])", R"(["th","x","e"])",
           R"(tokenizer.json: model.merges[1] (["th","x","e"]) is no pair of tokens)");
    expect(
        R"(["th","e"])", R"(["th","q"])",
        R"(tokenizer.json: model.merges[1] (["th","q"]) names a token that is not in the vocabulary)");
    expect(R"(["th","e"])", "[\"th\",\"\xFF\"]",
           "tokenizer.json is no valid JSON: mistake at byte 437");
}

} // namespace
} // namespace fireside
