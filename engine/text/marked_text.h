#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace fireside {

/// UTF-8 text that remembers which bytes came from outside (user, document, tool) and which from
/// the chat template itself. Control tokens such as <|im_end|> are only recognised where every byte
/// is trusted, so text typed by a user can never become a control token.
struct MarkedText
{
    struct Range
    {
        std::size_t begin, end;
    }; // byte offsets, half open
    std::string text;
    std::vector<Range> untrusted; // sorted, disjoint, non-empty

    static MarkedText trusted(std::string text) { return {std::move(text), {}}; }
    static MarkedText fromUser(std::string text)
    {
        const std::size_t n = text.size();
        return {std::move(text), n ? std::vector<Range>{{0, n}} : std::vector<Range>{}};
    }
};

} // namespace fireside
