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

inline std::unique_ptr<Tokenizer> openGguf(const GgufBuilder &file)
{
    const TempDir folder;
    file.write(folder / "vocabulary.gguf");
    return Tokenizer::open(folder / "vocabulary.gguf");
}

} // namespace fireside::test
