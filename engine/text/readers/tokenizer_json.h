#pragma once
#include "engine/text/tokenizer.h"

namespace fireside {

/// Builds the tokenizer of a Hugging Face tokenizer.json whose model is BPE; BOS, EOS and further
/// end markers come from the files beside it (tokenizer_config.json, special_tokens_map.json,
/// generation_config.json, config.json) when they are there. Throws Error naming file and key;
/// Error(Unsupported) with the model type for Unigram and WordPiece.
std::unique_ptr<Tokenizer> makeTokenizerFromJson(const std::filesystem::path &path);

} // namespace fireside
