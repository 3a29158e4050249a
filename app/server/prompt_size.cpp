#include "app/server/prompt_size.h"

#include "app/server/parameters.h"

#include <algorithm>

namespace fireside::server {

void checkPromptBytes(std::size_t bytes, std::size_t maxTokens, const Tokenizer &tokenizer,
                      const std::string &field)
{
    constexpr std::size_t kUncheckedBytes = 256 << 10;
    if (bytes <= kUncheckedBytes)
        return;
    std::size_t longest = 1;
    for (std::size_t id = 0; id < tokenizer.size(); ++id)
        longest = std::max(longest, tokenizer.bytes(static_cast<TokenId>(id)).size());
    if (bytes / longest > maxTokens)
        throw ApiError(400,
                       "prompt is too long: " + std::to_string(bytes / longest) + " tokens > " +
                           std::to_string(maxTokens) + " maximum, at least: " + field + " has " +
                           std::to_string(bytes) + " bytes",
                       field, "context_length_exceeded");
}

} // namespace fireside::server
