#pragma once
#include "engine/text/rules/normalizer.h"
#include "engine/text/rules/pre_tokenizer.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace fireside {

/// Typed access to members of a JSON object; errors name `where` and the key. The optional forms
/// give the fallback when the key is absent or null.
std::string jsonString(const nlohmann::json &object, const char *key, const std::string &where);
std::string jsonStringOr(const nlohmann::json &object, const char *key, std::string fallback,
                         const std::string &where);
bool jsonBoolOr(const nlohmann::json &object, const char *key, bool fallback,
                const std::string &where);

/// The parts of a tokenizer.json (Hugging Face tokenizers) that are lists of rules. Each takes the
/// section's value, null included, and `where` for errors. Unknown rule types are
/// Error(Unsupported) with the type's name.
void readNormalizer(const nlohmann::json &section, const std::string &where, Normalizer &out);

struct PreTokenizerFacts
{
    bool byteLevel = false; // the model's symbols are bytes
};
PreTokenizerFacts readPreTokenizer(const nlohmann::json &section, const std::string &where,
                                   PreTokenizer &out);

struct DecoderFacts
{
    bool byteLevel = false;
    bool marksSpaces = false;     // "▁" becomes a space
    bool stripFirstSpace = false; // one space at the start is dropped
};
DecoderFacts readDecoder(const nlohmann::json &section, const std::string &where);

} // namespace fireside
