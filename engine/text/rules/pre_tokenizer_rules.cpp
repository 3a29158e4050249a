// The splitting rules of known model families by the name GGUF files use. The patterns are facts
// about the models: each is what the family's own tokenizer.json or tokenizer code prescribes, in
// the spelling with Unicode classes; the names are those that llama.cpp's converter writes.
#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/text/rules/pre_tokenizer.h"

#include <algorithm>
#include <array>

namespace fireside {

#define FIRESIDE_CONTRACTIONS "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
#define FIRESIDE_WORD_OR_SYMBOLS_TAIL R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"
#define FIRESIDE_UPPER R"([\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}])"
#define FIRESIDE_LOWER R"([\p{Ll}\p{Lm}\p{Lo}\p{M}])"
#define FIRESIDE_CASED_WORD(suffix)                                                                \
    R"([^\r\n\p{L}\p{N}]?)" FIRESIDE_UPPER "*" FIRESIDE_LOWER "+" suffix                           \
    R"(|[^\r\n\p{L}\p{N}]?)" FIRESIDE_UPPER "+" FIRESIDE_LOWER "*" suffix
#define FIRESIDE_CASED_TAIL R"(| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)"

const std::string_view kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

namespace {

constexpr const char *kGpt2 =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr const char *kLlama3 =
    FIRESIDE_CONTRACTIONS R"(|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3})" FIRESIDE_WORD_OR_SYMBOLS_TAIL;
constexpr const char *kQwen2 =
    FIRESIDE_CONTRACTIONS R"(|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N})" FIRESIDE_WORD_OR_SYMBOLS_TAIL;
constexpr const char *kQwen35 = FIRESIDE_CONTRACTIONS
    R"(|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char *kTekken = FIRESIDE_CASED_WORD("") R"(|\p{N})" FIRESIDE_CASED_TAIL;
constexpr const char *kO200k =
    FIRESIDE_CASED_WORD(FIRESIDE_CONTRACTIONS "?") R"(|\p{N}{1,3})" FIRESIDE_CASED_TAIL;
constexpr const char *kDeepseek3 =
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+)"
    R"(| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char *kSpark =
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+)"
    R"(| ?[\p{P}\p{S}]+|[\r\n]|\s+(?!\S)|\s+)";
// Groups of three digits, counted from the right; what is left over comes first.
constexpr const char *kAfmoeDigits = R"(\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N})))";
constexpr const char *kAfmoeAsian =
    R"([\x{4E00}-\x{9FFF}\x{3400}-\x{4DBF}\x{F900}-\x{FAFF}\x{3040}-\x{30FF}\x{FF65}-\x{FF9F})"
    R"(\x{2F00}-\x{2FDF}\x{E40}-\x{E7F}\x{E80}-\x{EFF}\x{1780}-\x{17FF}\x{1000}-\x{109F})"
    R"(\x{AA60}-\x{AA7F}\x{A9E0}-\x{A9FF}\x{AC00}-\x{D7AF}\x{1100}-\x{11FF}]+)";
constexpr const char *kYoutuAsian =
    R"([\x{AC00}-\x{D7A3}\x{3131}-\x{318E}]+|[\x{FF01}\x{2026}\x{201C}\x{201D}\x{2018}\x{2019})"
    R"(\x{2014}\x{FF1A}\x{FF1B}\x{FF0C}\x{3001}-\x{303F}\x{FE30}-\x{FE4F}]+)"
    R"(|[\x{3105}-\x{312F}]+|[\x{4E00}-\x{9FA5}\x{3040}-\x{30FF}]+)";
constexpr const char *kYoutu =
    FIRESIDE_CASED_WORD(FIRESIDE_CONTRACTIONS "?") R"(|\p{N})" FIRESIDE_CASED_TAIL;
constexpr const char *kDeepseekCjk = R"([\x{4E00}-\x{9FA5}\x{3040}-\x{309F}\x{30A0}-\x{30FF}]+)";
constexpr const char *kDeepseekOldCjk = R"([\x{4E00}-\x{9FA5}\x{0800}-\x{4E00}\x{AC00}-\x{D7FF}]+)";
// Letters of the cased scripts, the set DeepSeek LLM's file spells out range by range.
constexpr const char *kDeepseekLlmLetters =
    R"(\s?[A-Za-z\x{B5}\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{1BA}\x{1BC}-\x{1BF}\x{1C4}-\x{293})"
    R"(\x{295}-\x{2AF}\x{370}-\x{373}\x{376}\x{377}\x{37B}-\x{37D}\x{37F}\x{386}\x{388}-\x{38A})"
    R"(\x{38C}\x{38E}-\x{3A1}\x{3A3}-\x{3F5}\x{3F7}-\x{481}\x{48A}-\x{52F}\x{531}-\x{556})"
    R"(\x{10A0}-\x{10C5}\x{13A0}-\x{13F5}\x{13F8}-\x{13FD}\x{1C90}-\x{1CBA}\x{1CBD}-\x{1CBF})"
    R"(\x{1D00}-\x{1D2B}\x{1D6B}-\x{1D77}\x{1D79}-\x{1D9A}\x{1E00}-\x{1F15}\x{1F18}-\x{1F1D})"
    R"(\x{1F20}-\x{1F45}\x{1F48}-\x{1F4D}\x{1F50}-\x{1F57}\x{1F59}\x{1F5B}\x{1F5D})"
    R"(\x{1F5F}-\x{1F7D}\x{1F80}-\x{1FB4}\x{1FB6}-\x{1FBC}\x{1FBE}\x{1FC2}-\x{1FC4})"
    R"(\x{1FC6}-\x{1FCC}\x{1FD0}-\x{1FD3}\x{1FD6}-\x{1FDB}\x{1FE0}-\x{1FEC}\x{1FF2}-\x{1FF4})"
    R"(\x{1FF6}-\x{1FFC}\x{2102}\x{2107}\x{210A}-\x{2113}\x{2115}\x{2119}-\x{211D}\x{2124})"
    R"(\x{2126}\x{2128}\x{212A}-\x{212D}\x{212F}-\x{2134}\x{2139}\x{213C}-\x{213F})"
    R"(\x{2145}-\x{2149}\x{214E}\x{2183}\x{2184}\x{2C00}-\x{2C7B}\x{2C7E}-\x{2CE4})"
    R"(\x{2CEB}-\x{2CEE}\x{2CF2}\x{2CF3}\x{A640}-\x{A66D}\x{A680}-\x{A69B}\x{A722}-\x{A76F})"
    R"(\x{A771}-\x{A787}\x{A78B}-\x{A78E}\x{AB70}-\x{ABBF}\x{FB00}-\x{FB06}\x{FB13}-\x{FB17})"
    R"(\x{FF21}-\x{FF3A}\x{FF41}-\x{FF5A}\x{10400}-\x{1044F}\x{104B0}-\x{104D3})"
    R"(\x{104D8}-\x{104FB}\x{10C80}-\x{10CB2}\x{10CC0}-\x{10CF2}\x{118A0}-\x{118DF})"
    R"(\x{1E900}-\x{1E943}]+)";
constexpr const char *kDeepseekLlmPunctuation =
    R"(\s?[!-/:-~\x{FF01}-\x{FF0F}\x{FF1A}-\x{FF5E}\x{2018}-\x{201F}\x{3000}-\x{3002}]+)";
constexpr const char *kBloom =
    R"( ?[^(\s|.,!?\x{2026}\x{3002}\x{FF0C}\x{3001}\x{964}\x{6D4}\x{60C})]+)";
#define FIRESIDE_NOT_HAN_UPPER R"((?:(?!\p{Han})[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]))"
#define FIRESIDE_NOT_HAN_LOWER R"((?:(?!\p{Han})[\p{Ll}\p{Lm}\p{Lo}\p{M}]))"
constexpr const char *kKimi =
    R"(\p{Han}+|[^\r\n\p{L}\p{N}]?)" FIRESIDE_NOT_HAN_UPPER "*" FIRESIDE_NOT_HAN_LOWER
    "+" FIRESIDE_CONTRACTIONS R"(?|[^\r\n\p{L}\p{N}]?)" FIRESIDE_NOT_HAN_UPPER
    "+" FIRESIDE_NOT_HAN_LOWER "*" FIRESIDE_CONTRACTIONS
    R"(?|\p{N}{1,3})" FIRESIDE_WORD_OR_SYMBOLS_TAIL;

struct Family
{
    std::array<const char *, 6> patterns; // one Split rule each, matches isolated
    std::array<std::string_view, 12> names;
    PreTokenizerTraits traits = {};
};

const std::array kFamilies{
    Family{{kLlama3},
           {"llama-bpe", "llama3", "llama-v3", "falcon3", "falcon-h1", "pixtral", "midm-2.0",
            "lfm2", "jina-v5-nano"},
           {true, true}},
    Family{{kLlama3}, {"dbrx", "smaug-bpe", "glm4", "chatglm-bpe"}},
    Family{{kGpt2},
           {"gpt-2", "phi-2", "mpt", "olmo", "jais", "trillion", "granite-docling", "gigachat",
            "a.x-4.0", "mellum", "modern-bert", "exaone4"}},
    Family{{kGpt2},
           {"jina-es", "jina-de", "jina-v2-es", "jina-v2-de", "jina-v1-en", "jina-v2-code",
            "roberta-bpe"}},
    Family{{R"(\p{N})", kGpt2},
           {"starcoder", "refact", "command-r", "smollm", "codeshell", "exaone", "minerva-7b",
            "mellum2"}},
    Family{{kQwen2},
           {"qwen2", "stablelm2", "deepseek-r1-qwen", "kormo", "f2llmv2", "megrez", "hunyuan",
            "solar-open", "grok-2"}},
    Family{{kQwen35}, {"qwen35"}},
    Family{{kTekken}, {"tekken"}, {true, true}},
    Family{{kO200k}, {"gpt-4o", "llama4", "kanana2", "talkie", "minimax-m2"}},
    Family{{kO200k}, {"granite-embed-multi-97m"}, {true, false}},
    Family{{kYoutuAsian, kYoutu}, {"youtu"}, {true, false}},
    Family{{R"([\r\n])", kDeepseekLlmLetters, kDeepseekLlmPunctuation, R"(\s+$)", kDeepseekOldCjk,
            R"(\p{N}+)"},
           {"deepseek-llm"}},
    Family{{R"([\r\n])", R"(\s?\p{L}+)", R"(\s?\p{P}+)", kDeepseekOldCjk, R"(\p{N})"},
           {"deepseek-coder"}},
    Family{{R"(\p{N}{1,3})", kDeepseekCjk, kDeepseek3},
           {"deepseek-v3", "hunyuan-dense", "joyai-llm", "hy_v4"}},
    Family{{R"(\p{N}{1,3})", kDeepseekCjk, kSpark, R"(\p{N})"}, {"spark2_5"}},
    Family{{kAfmoeDigits, kAfmoeAsian, kDeepseek3}, {"afmoe"}},
    Family{{R"([\p{P}$+<=>^~|`]+)", kGpt2, "[0-9][0-9][0-9]"}, {"falcon"}},
    Family{{kBloom}, {"bloom", "poro-chat", "gpt3-finnish"}},
    Family{{kBloom, R"(\p{N})"}, {"viking"}},
    Family{{R"(\p{N}+)", R"((?=(\d{3})+(?!\d)))"}, {"superbpe"}},
    Family{{R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*)"
            R"(|\s*[\r\n]|\s+(?!\S)|\s+)"},
           {"bailingmoe", "bailingmoe2", "llada-moe"}},
    Family{{FIRESIDE_CONTRACTIONS
            R"(|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}\r\n]+|\s*[\r\n]+|\s+(?!\S)|\s+)"},
           {"seed-coder"}},
    Family{{kKimi}, {"kimi-k2"}},
    Family{{R"(\d{1,3}(?=(?:\d{3})*\b))", kO200k}, {"tiny_aya", "cohere2moe"}},
    Family{{R"(\p{N}{1,3})", FIRESIDE_CONTRACTIONS
            R"(|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}+)" FIRESIDE_WORD_OR_SYMBOLS_TAIL},
           {"minicpm5"},
           {true, false}},
    Family{{R"([^\r\n\p{L}\p{N}]?\p{L}+|\p{N})" FIRESIDE_WORD_OR_SYMBOLS_TAIL}, {"ufakzeka"}},
    Family{{R"([^\n]+|[\n]+)", kQwen2}, {"laguna"}},
    Family{
        {FIRESIDE_CONTRACTIONS
         R"(|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s{512}(?!\S))"
         R"(|\s{256}(?!\S)|\s{128}(?!\S)|\s{64}(?!\S)|\s{32}(?!\S)|\s{16}(?!\S)|\s{8}(?!\S))"
         R"(|\s{4}(?!\S)|\s{1,2}(?!\S)|\s{1})"},
        {"jais-2"}},
    Family{
        {FIRESIDE_CONTRACTIONS
         R"(|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]?)"
         R"(|\s*[\r\n]|\s+(?!\S)|\s+)"},
        {"exaone-moe"}},
    Family{{"<sentinel:[0-9]+>", "IMGIMG[A-I]{1,4}Z", R"([\t\n]|    |  )", R"(\p{N})",
            R"([\p{P}!-/:-@\[-`{-~])", kGpt2},
           {"chameleon"},
           {false, true}},
    // Merging works on characters in which "▁" stands for a space.
    Family{{R"([^\n]+|\n+)"},
           {"gemma4", "granite-embed-multi-311m"},
           {.addBos = true, .characters = true, .marksSpaces = true, .wholeLineBreaks = true}},
    Family{{R"([^\n]+|\n+)"}, {"sarvam-moe"}, {.characters = true, .marksSpaces = true}},
    Family{{}, {"whitespace"}, {.characters = true, .dropsSpaces = true}},
    // What files without a named rule get; they come from before the name was recorded.
    Family{{R"([\p{P}$+<=>^~|]+)", kGpt2, R"(\p{N}+)", "[0-9][0-9][0-9]"}, {"default"}},
};

const Family *findFamily(std::string_view name)
{
    for (const Family &family : kFamilies)
        if (!name.empty() &&
            std::find(family.names.begin(), family.names.end(), name) != family.names.end())
            return &family;
    return nullptr;
}

const Family &familyOf(std::string_view name)
{
    if (const Family *family = findFamily(name))
        return *family;
    throwUnsupported("tokenizer.ggml.pre: the splitting rule " + fireside::quoted(name) +
                     " is not known");
}

/// Texts of which each known set of rules makes other pieces.
constexpr std::array<std::string_view, 24> kProbes{
    "Hello World's THE'LL don't IT'S we'Ve I'm I'D 'S'T 's",
    "abc123 1234567 12 1 1000000 $100+5<6>7 1 000,50 v1.2.3",
    "\u0661\u0662\u0663\u0664 \u00b2\u00b3 \u00bd \u4e00\u4e8c\u4e09",
    "foo_bar(x)=[1,2];//comment\n\n\tindent\r\n  two   three    four\n",
    "\u00e9migr\u00e9 e\u0301 a\u0300b \u00c9COLE \u00c9cole\u00c9 na\u00efve",
    "camelCaseWord HTMLParser ABCdefGHI iOS",
    "\u4e2d\u6587\u5b57\u7b26,\u65e5\u672c\u8a9e\u3072\u3089\u30ab\u30bf\u3002\ud55c\uad6d\uc5b4",
    "\u0e44\u0e17\u0e22 \u0ea5\u0eb2\u0ea7 \u1019\u103c\u1014\u103a",
    "\u2026\u2014!?;:!\u201cquote\u201d \u2018s\u2019",
    " leading",
    "trailing  ",
    "\n\n\n",
    "a\n\nb \n c \r\n\r\n d",
    "^`|~ @#%&* <sentinel:12> IMGIMGABZ",
    "///path//to /x ./y\n/",
    "\u0939\u093f\u0928\u094d\u0926\u0940 \u09ac\u09be\u0982\u09b2\u09be",
    "\U0001d4b3 \U0001f600\U0001f44d\U0001f3fd \u200d",
    "\t\t x\u00a0y \u3000\uff21\uff22\uff0c",
    "\u01c5 \u02b0 \u02bc \u03a9\u2248\u00e7\u221a",
    "a.b.c... !!!\n???\n\n",
    "(,\u3002\u060c\u0964 \u3105\u3106 \u3131\u3132",
    "word                                        word",
    "an an an\u0301 b",
    "!a\"b#c \u00bfd+e",
};

using PieceLists = std::vector<std::vector<std::string>>;

PieceLists piecesOf(const PreTokenizer &rules)
{
    PieceLists all;
    for (const std::string_view probe : kProbes) {
        const PreTokenizer::Words words = rules.split(std::string(probe), true, true);
        std::vector<std::string> &pieces = all.emplace_back();
        for (const TextRange &piece : words.pieces)
            pieces.push_back(words.text.substr(piece.begin, piece.end - piece.begin));
    }
    return all;
}

} // namespace

std::optional<std::string_view> PreTokenizer::nameOf(const PreTokenizer &rules,
                                                     bool wholeWordsFirst)
{
    const PieceLists wanted = piecesOf(rules);
    for (const Family &family : kFamilies)
        if (!family.traits.characters && family.traits.wholeWordsFirst == wholeWordsFirst &&
            piecesOf(named(family.names[0])) == wanted)
            return family.names[0];
    return std::nullopt;
}

PreTokenizer PreTokenizer::named(std::string_view name)
{
    PreTokenizer rules;
    for (const char *pattern : familyOf(name).patterns)
        if (pattern)
            rules.add(Split{Regex(pattern, "splitting rule " + fireside::quoted(name))});
    return rules;
}

PreTokenizerTraits namedPreTokenizerTraits(std::string_view name)
{
    return familyOf(name).traits;
}

bool isKnownPreTokenizer(std::string_view name)
{
    return findFamily(name) != nullptr;
}

} // namespace fireside
