#pragma once
#include "engine/text/marked_text.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fireside {

class Gguf;
class ModelFile;
using TokenId = std::int32_t;

/// Text ↔ token ids. Immutable, safe to use from several threads.
class Tokenizer
{
public:
    virtual ~Tokenizer() = default;

    /// Reads tokenizer.ggml.* of a GGUF. Throws Error: unknown model/pre-tokenizer (named), bad
    /// ids, bad merges.
    static std::unique_ptr<Tokenizer> fromGguf(const Gguf &gguf);
    /// Reads a Hugging Face tokenizer.json (and tokenizer_config.json beside it when present).
    static std::unique_ptr<Tokenizer> fromTokenizerJson(const std::filesystem::path &path);
    /// The tokenizer of a model: in its GGUF, or tokenizer.json in its folder.
    static std::unique_ptr<Tokenizer> fromModel(const ModelFile &file);
    /// A GGUF file, a tokenizer.json, or a folder that holds one.
    static std::unique_ptr<Tokenizer> open(const std::filesystem::path &path);

    /// addSpecial puts BOS/EOS where the model wants them. Control tokens written in the text are
    /// recognised only in its trusted ranges. Any byte sequence is accepted; invalid UTF-8 never
    /// throws.
    virtual std::vector<TokenId> encode(const MarkedText &text, bool addSpecial) const = 0;

    /// The raw bytes a token stands for (may be part of a UTF-8 character); control tokens give
    /// their text when `control` is true, else nothing. Out-of-range ids give U+FFFD.
    virtual std::string bytes(TokenId id, bool control = false) const = 0;

    /// Bytes of all ids joined, first-word space rules of the family applied, invalid UTF-8 →
    /// U+FFFD.
    virtual std::string decode(std::span<const TokenId> ids, bool control = false) const = 0;

    /// The way tokens are made, as people call it.
    virtual std::string_view kind() const { return "of no name"; }
    virtual std::size_t size() const = 0;
    virtual std::optional<TokenId>
    find(std::string_view tokenText) const = 0; // exact vocabulary text
    virtual bool isControl(TokenId id) const = 0;
    /// Stands for a marker as a whole: control tokens, and others like <think> that are shown but
    /// that no ordinary text turns into.
    virtual bool isMarker(TokenId id) const { return isControl(id); }
    /// Ends a reply: EOS, EOT and the family's other end markers (<|eot_id|>, <|im_end|>, …).
    virtual bool endsGeneration(TokenId id) const = 0;
    virtual std::optional<TokenId> bos() const = 0;
    virtual std::optional<TokenId> eos() const = 0;
    /// What stands for characters that have no token, untrusted ones too.
    virtual std::optional<TokenId> unknown() const { return std::nullopt; }
    /// The text of BOS/EOS as chat templates see them (bos_token, eos_token); empty when absent.
    virtual std::string bosText() const = 0;
    virtual std::string eosText() const = 0;
};

} // namespace fireside
