#pragma once
#include "engine/text/tokenizer.h"

#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fireside {

/// Remembers the tokens of words while one text is encoded: ordinary prose repeats most of its
/// words. Keys are views, so the text must outlive the cache.
class WordCache
{
public:
    /// Appends the tokens of `word` to out; encode(word, out) makes them the first time.
    template <class Encode>
    void append(std::string_view word, std::vector<TokenId> &out, Encode encode)
    {
        if (word.size() > kLongestWord) {
            encode(word, out);
            return;
        }
        const auto [entry, isNew] = m_words.try_emplace(word, out.size(), 0);
        auto &[begin, count] = entry->second;
        if (isNew) {
            encode(word, out);
            count = out.size() - begin;
            return;
        }
        // The tokens are copied from where the word stood before; out may move while it grows.
        for (std::size_t i = 0; i < count; ++i)
            out.push_back(out[begin + i]);
    }

private:
    static constexpr std::size_t kLongestWord = 256; // bytes
    std::unordered_map<std::string_view, std::pair<std::size_t, std::size_t>> m_words;
};

} // namespace fireside
