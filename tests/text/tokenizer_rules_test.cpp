// What each rule of tokenizer.json does, by Hugging Face's own library (tokenizers 0.23.2).
#include "engine/core/base64.h"
#include "engine/core/error.h"
#include "engine/text/readers/tokenizer_json_rules.h"
#include "tests/text/charsmap_builder.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace fireside::test {
namespace {

using Json = nlohmann::json;
using Texts = std::vector<std::string>;

TEST(Rules, NormalizersChangeTextAsHuggingFacesDo)
{
    const struct
    {
        const char *rule, *text, *expected;
    } rows[] = {
        {R"({"type":"NFC"})", "e\u0301 \uFB01 \u212B", "\u00E9 \uFB01 \u00C5"},
        {R"({"type":"NFD"})", "\u00E9 \uFB01 \uAC00", "e\u0301 \uFB01 \u1100\u1161"},
        {R"({"type":"NFKC"})", "\uFB01 \u00BD \uFF21", "fi 1\u20442 A"},
        {R"({"type":"NFKD"})", "\uFB01 \u1E9B\u0323", "fi s\u0323\u0307"},
        {R"({"type":"Lowercase"})", "\u0130I \u00C4\u03A3 \u01C5 \u2167",
         "i\u0307i \u00E4\u03C3 \u01C6 \u2177"},
        {R"({"type":"StripAccents"})", "e\u0301 \u00E9 \u0928\u093F", "e \u00E9 \u0928"},
        {R"({"type":"Strip","strip_left":true,"strip_right":true})", "\u3000 a b\n", "a b"},
        {R"({"type":"Strip","strip_left":false,"strip_right":true})", " a ", " a"},
        {R"({"type":"Strip","strip_left":true,"strip_right":false})", " a ", "a "},
        {R"({"type":"Prepend","prepend":"▁"})", "a", "\u2581a"},
        {R"({"type":"Prepend","prepend":"▁"})", "", ""},
        {R"({"type":"Replace","pattern":{"String":"a.b"},"content":"$0"})", "a.b axb", "$0 axb"},
        {R"({"type":"Replace","pattern":{"Regex":"\\s+"},"content":" "})", "a \n b\u3000", "a b "},
        {R"({"type":"Replace","pattern":{"Regex":"x*"},"content":"-"})", "abc", "-a-b-c-"},
        {R"({"type":"Replace","pattern":{"Regex":"x*"},"content":"-"})", "xx a", "- -a-"},
        {R"({"type":"Replace","pattern":{"Regex":"x*"},"content":"-"})", "x", "-"},
        {R"({"type":"Nmt"})", "a\007b\011c\u200Bd\u2581e\uFEFF\u009f\u00A0", "ab c d e \u00A0"},
        {R"({"type":"ByteLevel"})", "a \u00E9\n", "a\u0120\u00C3\u00A9\u010A"},
        {R"({"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,"strip_accents":null,"lowercase":true})",
         "H\u00E9LLo\011\u4E2D\u6587\uFFFD\u200B\u3000\u0130", "hello  \u4E2D  \u6587  i"},
        {R"({"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,"strip_accents":null,"lowercase":true})",
         "\u0378\uE000\u00AD", "\u0378"},
        {R"({"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,"strip_accents":false,"lowercase":true})",
         "H\u00E9", "h\u00E9"},
        {R"({"type":"BertNormalizer","clean_text":false,"handle_chinese_chars":false,"strip_accents":true,"lowercase":false})",
         "H\u00E9\011\u4E2D", "He\011\u4E2D"},
        {R"({"type":"Sequence","normalizers":[{"type":"NFD"},{"type":"StripAccents"},{"type":"Lowercase"}]})",
         "\u00C9COLE", "ecole"},
    };
    for (const auto &[rule, text, expected] : rows) {
        Normalizer normalizer;
        readNormalizer(Json::parse(rule), "rule", normalizer);
        EXPECT_EQ(normalizer.apply(text, true), expected) << rule;
    }
}

Texts cut(const char *rule, const std::string &text)
{
    PreTokenizer rules;
    readPreTokenizer(Json::parse(rule), "rule", false, rules);
    const PreTokenizer::Words words = rules.split(text, true, true);
    Texts out;
    for (const TextRange piece : words.pieces)
        out.push_back(words.text.substr(piece.begin, piece.size()));
    return out;
}

TEST(Rules, PreTokenizersCutAsHuggingFacesDo)
{
    const struct
    {
        const char *rule, *text;
        Texts expected;
    } rows[] = {
        {R"({"type":"Whitespace"})",
         "a-b! caf\u00E9 x\u00B2\u200Dy \u24D0\u0301",
         {"a", "-", "b", "!", "caf\u00E9", "x", "\u00B2", "\u200Dy", "\u24D0\u0301"}},
        {R"({"type":"WhitespaceSplit"})", " a\u00A0b\u3000c\n", {"a", "b", "c"}},
        {R"({"type":"BertPreTokenizer"})",
         "it's \u201Cok\u201D $5+6~ \u3002",
         {"it", "'", "s", "\u201C", "ok", "\u201D", "$", "5", "+", "6", "~", "\u3002"}},
        {R"({"type":"UnicodeScripts"})",
         "  Apples are \u308A\u3093\u3054 \u6797\u6A8E\u30FC\u30A2 \uAC00 \u0431x",
         {"Apples are ", "\u308A\u3093\u3054 \u6797\u6A8E\u30FC\u30A2 ", "\uAC00 ", "\u0431", "x"}},
        {R"({"type":"UnicodeScripts"})",
         "\u3069\u3053\u3067\u751F\u308C\u3002Yes",
         {"\u3069\u3053\u3067\u751F\u308C", "\u3002", "Yes"}},
        {R"({"type":"CharDelimiterSplit","delimiter":"|"})", "a||b|", {"a", "b"}},
        {R"({"type":"FixedLength","length":3})",
         "a\u00E9\u4E2D\U0001F600bcd",
         {"a\u00E9\u4E2D", "\U0001F600bc", "d"}},
        {R"({"type":"Digits","individual_digits":true})",
         "a12\u0663\u00BDb",
         {"a", "1", "2", "\u0663", "\u00BD", "b"}},
        {R"({"type":"Digits","individual_digits":false})",
         "a12\u0663\u00BDb",
         {"a", "12\u0663\u00BD", "b"}},
        {R"({"type":"Punctuation","behavior":"Removed"})", "!a--b.$", {"a", "b"}},
        {R"({"type":"Punctuation","behavior":"Isolated"})",
         "!a--b.$",
         {"!", "a", "-", "-", "b", ".", "$"}},
        {R"({"type":"Punctuation","behavior":"MergedWithPrevious"})",
         "!a--b.$",
         {"!", "a-", "-", "b.", "$"}},
        {R"({"type":"Punctuation","behavior":"MergedWithNext"})",
         "!a--b.$",
         {"!a", "-", "-b", ".", "$"}},
        {R"({"type":"Punctuation","behavior":"Contiguous"})",
         "!a--b.$",
         {"!", "a", "--", "b", ".$"}},
        {R"({"type":"Split","pattern":{"Regex":"\\w+"},"behavior":"Removed","invert":true})",
         "a\u0301b\u00BD \u0928\u093F+\u24D0",
         {"a\u0301b\u00BD", "\u0928\u093F", "\u24D0"}},
        {R"({"type":"Split","pattern":{"Regex":"\\W"},"behavior":"MergedWithNext","invert":false})",
         "\u0928\u093F \u00B2",
         {"\u0928\u093F", " \u00B2"}},
        {R"({"type":"Split","pattern":{"String":"."},"behavior":"Removed","invert":false})",
         "a.bc.",
         {"a", "bc"}},
        {R"({"type":"Metaspace","replacement":"▁","prepend_scheme":"always","split":true})",
         "a b",
         {"\u2581a", "\u2581b"}},
        {R"({"type":"Metaspace","replacement":"▁","prepend_scheme":"first","split":true})",
         "a b",
         {"\u2581a", "\u2581b"}},
        {R"({"type":"Metaspace","replacement":"▁","prepend_scheme":"never","split":true})",
         "a b",
         {"a", "\u2581b"}},
        {R"({"type":"Metaspace","replacement":"▁","prepend_scheme":"always","split":false})",
         "a b",
         {"\u2581a\u2581b"}},
        {R"({"type":"ByteLevel","add_prefix_space":true,"trim_offsets":true,"use_regex":true})",
         "caf\u00E9 it's",
         {"\u0120caf\u00C3\u00A9", "\u0120it", "'s"}},
        {R"({"type":"ByteLevel","add_prefix_space":false,"trim_offsets":true,"use_regex":false})",
         "a b",
         {"a\u0120b"}},
        {R"({"type":"Sequence","pretokenizers":[{"type":"WhitespaceSplit"},{"type":"Metaspace","replacement":"▁","prepend_scheme":"always","split":true}]})",
         "a b",
         {"\u2581a", "\u2581b"}},
    };
    for (const auto &[rule, text, expected] : rows)
        EXPECT_EQ(cut(rule, text), expected) << rule;
}

TEST(Rules, DecodersJoinAsHuggingFacesDo)
{
    const struct
    {
        const char *rule;
        Texts tokens;
        const char *expected;
    } rows[] = {
        {R"({"type":"ByteLevel","add_prefix_space":true,"trim_offsets":true,"use_regex":true})",
         {"caf", "\u00C3\u00A9", "\u0120x", "\u4E2D"},
         "caf\u00E9 x\u4E2D"},
        {R"({"type":"WordPiece","prefix":"##","cleanup":true})",
         {"##a", "it", "'", "s", "do", "not", "##b", ".", "n't", "'re"},
         "##a it ' s do notb.n't're"},
        {R"({"type":"WordPiece","prefix":"##","cleanup":false})", {"a", "##b", "."}, "ab ."},
        {R"({"type":"Metaspace","replacement":"▁","prepend_scheme":"always","split":true})",
         {"\u2581\u2581a", "\u2581b"},
         "a b"},
        {R"({"type":"Metaspace","replacement":"▁","prepend_scheme":"never","split":true})",
         {"\u2581a", "\u2581b"},
         " a b"},
        {R"({"type":"BPEDecoder","suffix":"</w>"})", {"a</w>", "b", "c</w>"}, "a bc"},
        {R"({"type":"CTC","pad_token":"<pad>","word_delimiter_token":"|","cleanup":true})",
         {"h", "h", "<pad>", "h", "i", "|", "|", "."},
         "hhi ."},
        {R"({"type":"CTC","pad_token":"<pad>","word_delimiter_token":"|","cleanup":false})",
         {"h", "<pad>", "h", "|"},
         "hh|"},
        {R"({"type":"Sequence","decoders":[{"type":"Replace","pattern":{"String":"▁"},"content":" "},{"type":"ByteFallback"},{"type":"Fuse"},{"type":"Strip","content":" ","start":1,"stop":0}]})",
         {"\u2581\u2581a", "<0xE2>", "<0x82>", "<0xAC>", "\u2581b"},
         " a\u20AC b"},
        {R"({"type":"Sequence","decoders":[{"type":"Strip","content":"e","start":1,"stop":2},{"type":"Replace","pattern":{"Regex":"[ab]"},"content":"*"}]})",
         {"eea", "bee", "xeee"},
         "e**xe"},
        {R"({"type":"ByteFallback"})", {"<0x41>", "<0xZZ>", "b"}, "A<0xZZ>b"},
    };
    for (const auto &[rule, tokens, expected] : rows) {
        Decoder decoder;
        readDecoder(Json::parse(rule), "rule", decoder);
        EXPECT_EQ(decoder.decode(tokens), expected) << rule;
    }
}

/// Replies arrive token by token: none of them is the first or the last.
TEST(Rules, DecodersKnowTheMiddleOfAText)
{
    const auto middle = [](const char *rule, const char *token) {
        Decoder decoder;
        readDecoder(Json::parse(rule), "rule", decoder);
        return decoder.middle(token);
    };
    const char *wordPiece = R"({"type": "WordPiece", "prefix": "##", "cleanup": true})";
    EXPECT_EQ(middle(wordPiece, "##b"), "b");
    EXPECT_EQ(middle(wordPiece, "b"), " b");
    EXPECT_EQ(middle(wordPiece, "."), ".");
    EXPECT_EQ(middle(R"({"type": "Metaspace"})", "\u2581b"), " b");
    EXPECT_EQ(middle(R"({"type": "BPEDecoder"})", "b</w>"), "b ");
    EXPECT_EQ(middle(R"({"type": "ByteFallback"})", "<0xC3>"), "\xC3");
    EXPECT_EQ(middle("null", "b"), " b");
}

const std::vector<std::pair<std::string, std::string>> kReplacements{
    {"\uFB01", "fi"}, {"e\u0301", "\u00E9"}, {"\u00A0", " "},
    {"a", "A"},       {"ab", "!"},           {"\u00AD", ""}};

TEST(Charsmap, FindsTheShortestAndTheLongest)
{
    const Charsmap map(charsmapOf(kReplacements), "test");
    EXPECT_EQ(map.shortest("abc")->replacement, "A");
    EXPECT_EQ(map.longest("abc")->replacement, "!");
    EXPECT_EQ(map.longest("abc")->length, 2u);
    EXPECT_EQ(map.longest("\u00ADx")->replacement, "");
    EXPECT_FALSE(map.longest("e"));
    EXPECT_FALSE(map.longest("b"));
    EXPECT_FALSE(map.longest(""));
    EXPECT_FALSE(map.longest(std::string(1, '\0')));
}

/// Hugging Face replaces what fits a whole short cluster by the first sequence that begins it;
/// SentencePiece goes by the longest.
TEST(Charsmap, IsUsedInTwoWays)
{
    const std::string text = "\uFB01 abe\u0301\u00A0\u00ADx";
    Normalizer byCluster, byLength;
    byCluster.add(Normalizer::MapCharacters{Charsmap(charsmapOf(kReplacements), "test"), true});
    byLength.add(Normalizer::MapCharacters{Charsmap(charsmapOf(kReplacements), "test"), false});
    EXPECT_EQ(byCluster.apply(text, true), "fi Ab\u00E9 x");
    EXPECT_EQ(byLength.apply(text, true), "fi !\u00E9 x");
    EXPECT_EQ(byCluster.apply("a\u0301b", true), "Ab"); // the cluster as a whole
}

TEST(Charsmap, BrokenOnesAreRefusedOrMatchNothing)
{
    const std::string good = charsmapOf(kReplacements);
    for (const std::size_t size : {0, 3, 4, 5, 100})
        EXPECT_THROW(Charsmap(good.substr(0, size), "test"), Error) << size;
    EXPECT_THROW(Charsmap(good + "x", "test"), Error); // its last replacement has no end
    for (const char *head : {"\xFF\xFF\xFF\xFF", "\x03\x01\x00\x00"}) {
        std::string bad = good;
        bad.replace(0, 4, head, 4);
        EXPECT_THROW(Charsmap(bad, "test"), Error);
    }
    for (std::size_t at = 4; at < good.size(); ++at) { // every byte, any harm
        std::string bad = good;
        bad[at] = static_cast<char>(bad[at] ^ 0xFF);
        if (bad.back() != '\0')
            continue;
        const Charsmap map(bad, "test");
        for (const char *text : {"abc", "\uFB01", "e\u0301", "\u00A0", "zzz"})
            if (const auto match = map.longest(text)) {
                EXPECT_LE(match->length, std::string(text).size());
            }
    }
}

TEST(Base64, IsDecodedOrRefused)
{
    EXPECT_EQ(decodeBase64(""), "");
    EXPECT_EQ(decodeBase64("Zm9v"), "foo");
    EXPECT_EQ(decodeBase64("Zm9vYg=="), "foob");
    EXPECT_EQ(decodeBase64("Zm9vYg"), "foob");
    EXPECT_EQ(decodeBase64("+/+/"), "\xFB\xFF\xBF");
    for (const char *bad : {"Z", "Zm9vY", "Zm9*", "Zm 9", "Zg=a"})
        EXPECT_FALSE(decodeBase64(bad)) << bad;
}

} // namespace
} // namespace fireside::test
