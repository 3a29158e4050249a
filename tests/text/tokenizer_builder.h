#pragma once
#include "engine/text/rules/byte_level.h"
#include "engine/text/tokenizer.h"
#include "engine/text/unicode.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/temp_dir.h"

#include <fstream>
#include <nlohmann/json.hpp>

namespace fireside::test {

/// A small valid byte-level tokenizer.json to spoil: the 256 bytes as ids 0…255, merges for "the"
/// and "in", one control token, one added token that is not special.
inline nlohmann::json smallTokenizerJson()
{
    nlohmann::json vocab = nlohmann::json::object();
    for (unsigned byte = 0; byte < 256; ++byte) {
        std::string character;
        appendUtf8(character, byteLevelCharacter(static_cast<std::uint8_t>(byte)));
        vocab[character] = byte;
    }
    vocab["th"] = 256;
    vocab["the"] = 257;
    vocab["in"] = 258;
    const auto added = [](unsigned id, const char *text, bool special) {
        return nlohmann::json{
            {"id", id},        {"content", text},     {"special", special},  {"lstrip", false},
            {"rstrip", false}, {"normalized", false}, {"single_word", false}};
    };
    return {{"added_tokens",
             {added(259, "<|im_end|>", true), added(260, "<think>", false),
              added(261, "\n\n\n\n", false)}},
            {"normalizer", nullptr},
            {"pre_tokenizer",
             {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", true}}},
            {"post_processor", nullptr},
            {"decoder", {{"type", "ByteLevel"}}},
            {"model",
             {{"type", "BPE"},
              {"vocab", vocab},
              {"merges", nlohmann::json::parse(R"([["t", "h"], ["th", "e"], ["i", "n"]])")}}}};
}

/// The same with another model and its rules.
inline nlohmann::json smallWordPieceJson()
{
    auto json = nlohmann::json::parse(R"({"added_tokens": [], "post_processor": null,
        "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                       "strip_accents": null, "lowercase": true},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": true},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 6,
                  "vocab": {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "th": 3, "the": 4, "##s": 5, "##e": 6,
                            "##es": 7, "in": 8, ".": 9, "t": 10, "\u4e2d": 11, "##in": 12}}})");
    json["post_processor"] = {
        {"type", "BertProcessing"}, {"sep", {"[SEP]", 2}}, {"cls", {"[CLS]", 1}}};
    for (const int id : {0, 1, 2})
        json["added_tokens"].push_back({{"id", id},
                                        {"content", id == 0   ? "[UNK]"
                                                    : id == 1 ? "[CLS]"
                                                              : "[SEP]"},
                                        {"special", true}});
    return json;
}

inline nlohmann::json smallUnigramJson()
{
    return nlohmann::json::parse(
        R"({"added_tokens": [{"id": 0, "content": "<unk>", "special": true}],
        "post_processor": null, "normalizer": {"type": "Sequence", "normalizers": [
            {"type": "Precompiled", "precompiled_charsmap": "BAAAAAAAAAAA"},
            {"type": "Nmt"}, {"type": "NFKC"}]},
        "pre_tokenizer": {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always"},
        "decoder": {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always"},
        "model": {"type": "Unigram", "unk_id": 0, "byte_fallback": false,
                  "vocab": [["<unk>", 0], ["\u2581", -2], ["t", -3], ["h", -3], ["e", -3],
                            ["th", -4], ["he", -4.5], ["\u2581the", -5], ["in", -3.5]]}})");
}

inline std::unique_ptr<Tokenizer> openJson(const std::string &text)
{
    const TempDir folder;
    std::ofstream(folder / "tokenizer.json") << text;
    return Tokenizer::open(folder.path());
}

/// The pieces of a small SentencePiece vocabulary for GGUF files.
struct SpmPieces
{
    std::vector<std::string> texts{"<unk>", "<s>", "</s>", "<|im_end|>"};
    std::vector<float> scores{0, 0, 0, 0};
    std::vector<std::int32_t> types{2, 3, 3, 3};

    SpmPieces()
    {
        static constexpr char digits[] = "0123456789ABCDEF";
        for (unsigned byte = 0; byte < 256; ++byte)
            add(std::string("<0x") + digits[byte / 16] + digits[byte % 16] + ">", 0, 6);
        // "<s" and "<s>" by merging: the control token must stay out of reach.
        float score = 0;
        for (const char *text : {"\xE2\x96\x81", "t", "h", "e", "i", "n", "<", "s", ">", "th",
                                 "the", "in", "\xE2\x96\x81the", "<s"})
            add(text, score -= 1, 1);
    }
    void add(std::string text, float score, std::int32_t type)
    {
        texts.push_back(std::move(text));
        scores.push_back(score);
        types.push_back(type);
    }
    GgufBuilder builder() const
    {
        GgufBuilder file;
        file.string("general.architecture", "llama")
            .string("tokenizer.ggml.model", "llama")
            .strings("tokenizer.ggml.tokens", texts)
            .f32Array("tokenizer.ggml.scores", scores)
            .i32Array("tokenizer.ggml.token_type", types);
        return file;
    }
};

/// A small byte-level vocabulary for GGUF files.
struct BpePieces
{
    std::vector<std::string> texts;
    std::vector<std::int32_t> types;
    std::vector<std::string> merges{"t h", "th e"};
    std::string pre = "llama-bpe";

    BpePieces()
    {
        for (unsigned byte = 0; byte < 256; ++byte)
            add(toByteLevel(std::string(1, static_cast<char>(byte))), 1);
        add("th", 1);
        add("the", 1);
        add("<|im_end|>", 3);
    }
    void add(std::string text, std::int32_t type)
    {
        texts.push_back(std::move(text));
        types.push_back(type);
    }
    GgufBuilder builder() const
    {
        GgufBuilder file;
        file.string("general.architecture", "llama")
            .string("tokenizer.ggml.model", "gpt2")
            .string("tokenizer.ggml.pre", pre)
            .strings("tokenizer.ggml.tokens", texts)
            .i32Array("tokenizer.ggml.token_type", types)
            .strings("tokenizer.ggml.merges", merges);
        return file;
    }
};

/// The pieces with which the other kinds of GGUF vocabularies begin.
inline GgufBuilder piecesGguf(const char *model, const std::vector<std::string> &texts,
                              const std::vector<std::int32_t> &types)
{
    GgufBuilder file;
    file.string("general.architecture", "llama")
        .string("tokenizer.ggml.model", model)
        .strings("tokenizer.ggml.tokens", texts)
        .i32Array("tokenizer.ggml.token_type", types);
    return file;
}

inline GgufBuilder wordPieceGguf()
{
    return piecesGguf("bert",
                      {"[UNK]", "[CLS]", "[SEP]", "\u2581th", "\u2581the", "s", "e", "es",
                       "\u2581in", "\u2581.", "in"},
                      {3, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1})
        .u32("tokenizer.ggml.unknown_token_id", 0)
        .u32("tokenizer.ggml.cls_token_id", 1)
        .u32("tokenizer.ggml.seperator_token_id", 2);
}

inline GgufBuilder unigramGguf(bool mergeSpaces = true)
{
    return piecesGguf(
               "t5",
               {"<pad>", "</s>", "<unk>", "\u2581", "t", "h", "e", "th", "\u2581the", "in", "<x>"},
               {3, 3, 2, 1, 1, 1, 1, 1, 1, 1, 4})
        .f32Array("tokenizer.ggml.scores",
                  std::vector<float>{0, 0, 0, -2, -3, -3, -3, -4, -5, -3.5f, -100})
        .boolean("tokenizer.ggml.add_space_prefix", true)
        .boolean("tokenizer.ggml.remove_extra_whitespaces", mergeSpaces);
}

inline GgufBuilder rwkvGguf()
{
    std::vector<std::string> texts{"<s>"};
    std::vector<std::int32_t> types{3};
    for (unsigned byte = 0; byte < 256; ++byte) {
        static constexpr char digits[] = "0123456789abcdef";
        const char c = static_cast<char>(byte);
        texts.push_back(c == '\n'   ? "\\n"
                        : c == '\t' ? "\\t"
                        : c == '\\' ? "\\\\"
                        : byte >= 0x20 && byte < 0x7F
                            ? std::string(1, c)
                            : std::string("\\x") + digits[byte / 16] + digits[byte % 16]);
        types.push_back(1);
    }
    for (const char *text : {"th", "the", "the the", "\\xc3\\xa9", "\\n\\n"}) {
        texts.emplace_back(text);
        types.push_back(1);
    }
    return piecesGguf("rwkv", texts, types);
}

inline GgufBuilder plamoGguf()
{
    SpmPieces pieces;
    pieces.add("the in", -20, 1);
    pieces.add("hein", -3, 1);
    return piecesGguf("plamo2", pieces.texts, pieces.types)
        .f32Array("tokenizer.ggml.scores", pieces.scores);
}

inline std::unique_ptr<Tokenizer> openGguf(const GgufBuilder &file)
{
    const TempDir folder;
    file.write(folder / "vocabulary.gguf");
    return Tokenizer::open(folder / "vocabulary.gguf");
}

} // namespace fireside::test
