#pragma once
#include "tests/generate/kept_chat.h"

#include <functional>

namespace fireside::test {

/// A cache that grows gives, bit by bit, what one gives that was as large from the beginning.
/// before: called before each part that makes it grow.
inline void expectGrownAsWhole(
    const ModelFixture &model, DType type, const std::function<void()> &before = [] {})
{
    SCOPED_TRACE(name(type));
    constexpr int kCapacity = 2000;
    const std::vector<TokenId> ids = chatIds(model, 802, 1);
    const auto whole = model.session(kCapacity, type), grown = model.session(kCapacity, type);
    whole->reserve(kCapacity);
    ASSERT_GT(whole->kvBytes(), 2 * grown->kvBytes());
    struct Part
    {
        std::size_t tokens;
        bool grows; // 256 tokens have room at first
    };
    std::size_t done = 0;
    for (const Part part :
         {Part{200, false}, {56, false}, {1, true}, {1, false}, {543, true}, {1, false}}) {
        const auto next = std::span(ids).subspan(done, part.tokens);
        const std::size_t bytes = grown->kvBytes();
        const std::vector<float> expected = logitsAfter(*whole, next);
        if (part.grows)
            before();
        EXPECT_EQ(logitsAfter(*grown, next), expected) << "after " << done;
        EXPECT_EQ(grown->kvBytes() > bytes, part.grows) << "after " << done;
        done += part.tokens;
    }
    EXPECT_EQ(done, ids.size());
    EXPECT_LT(grown->kvBytes(), whole->kvBytes());
}

} // namespace fireside::test
