#pragma once
#include "engine/text/tokenizer.h"

#include <cstddef>
#include <string>

namespace fireside::server {

/// ApiError(400) for a text so long that it must have more than `maxTokens`, which is found without
/// the work of tokenizing it. Texts of up to 256 kB always pass.
void checkPromptBytes(std::size_t bytes, std::size_t maxTokens, const Tokenizer &tokenizer,
                      const std::string &field);

} // namespace fireside::server
