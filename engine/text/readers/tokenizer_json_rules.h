#pragma once
#include "engine/text/rules/decoder.h"
#include "engine/text/rules/normalizer.h"
#include "engine/text/rules/pre_tokenizer.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace fireside {

/// The parts of a tokenizer.json (Hugging Face tokenizers) that are lists of rules. Each takes the
/// section's value, null included, and `where` for errors. Unknown rule types are
/// Error(Unsupported) with the type's name.
struct NormalizerFacts
{
    unsigned mapsBytes = 0; // so many times
};
NormalizerFacts readNormalizer(const nlohmann::json &section, const std::string &where,
                               Normalizer &out);

struct PreTokenizerFacts
{
    bool byteLevel = false; // the model's symbols are bytes, or their characters
    bool mapsLast = false;  // the last rule says so; it is left out when `bytesOut`
};
/// `bytesOut`: the words of the model are the bytes themselves.
PreTokenizerFacts readPreTokenizer(const nlohmann::json &section, const std::string &where,
                                   bool bytesOut, PreTokenizer &out);

struct DecoderFacts
{
    bool byteLevel = false;       // nothing but the bytes of byte-level characters
    bool sentencePiece = false;   // "▁" becomes a space and <0x41> a byte, nothing else …
    bool stripFirstSpace = false; // … but that one space at the start is dropped
    bool marksSpaces = false;     // "▁" becomes a space somewhere
};
DecoderFacts readDecoder(const nlohmann::json &section, const std::string &where, Decoder &out);

} // namespace fireside
