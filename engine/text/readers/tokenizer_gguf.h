#pragma once
#include "engine/text/tokenizer.h"

namespace fireside {

/// Builds the tokenizer that tokenizer.ggml.* of a GGUF file describes: model "gpt2" (byte-level
/// BPE) or "llama" (SentencePiece BPE). Throws Error naming file, key and numbers.
std::unique_ptr<Tokenizer> makeTokenizerFromGguf(const Gguf &gguf);

} // namespace fireside
