#pragma once
#include "engine/generate/prefix_cache.h"
#include "tests/support/model_fixture.h"

#include <gtest/gtest.h>

#include <vector>

namespace fireside::test {

constexpr double kSlow = 0.01; // tokens a second: everything is worth keeping

/// So many tokens; other ones for each `chat`.
inline std::vector<TokenId> chatIds(const ModelFixture &model, std::size_t count, std::size_t chat)
{
    std::vector<TokenId> ids(count);
    for (std::size_t i = 0; i < count; ++i)
        ids[i] = static_cast<TokenId>((7 + 37 * i + 11 * chat * (i + 3)) % model.vocabulary());
    return ids;
}

inline std::vector<float> logitsAfter(Session &session, std::span<const TokenId> ids)
{
    std::vector<float> row(session.model().config().vocabulary);
    session.append(ids, row);
    return row;
}

/// A chat of `length` tokens, half of them a prompt and the rest one by one, continued by one more:
/// in the session that computed them, and in others that took them over from memory and from files.
inline void expectTakenOverAsComputed(const ModelFixture &model, DType type,
                                      const std::filesystem::path &folder, std::size_t length)
{
    const std::vector<TokenId> ids = chatIds(model, length + 1, 0);
    const auto chat = std::span(ids).first(length), last = std::span(ids).last(1);
    const int capacity = static_cast<int>(length) + 8;
    const auto first = model.session(capacity, type);
    logitsAfter(*first, chat.first(length / 2));
    for (std::size_t i = length / 2; i < length; ++i)
        logitsAfter(*first, chat.subspan(i, 1));
    {
        PrefixCache cache({.folder = folder});
        cache.keep(*first, "key", kSlow);
        EXPECT_EQ(cache.usage().tokens, length);
        const auto second = model.session(capacity, type);
        ASSERT_EQ(cache.restore(*second, "key", ids), length);
        const auto expected = logitsAfter(*first, last), got = logitsAfter(*second, last);
        EXPECT_EQ(got, expected) << "from memory";
        cache.waitUntilWritten();
        EXPECT_EQ(cache.usage().problem, "");
        EXPECT_GT(cache.usage().diskBytes, 0U);
    }
    PrefixCache again({.folder = folder});
    const auto third = model.session(capacity, type);
    ASSERT_EQ(again.restore(*third, "key", ids), length);
    first->truncate(length);
    // With recurrent states one goes back further.
    const auto missing = std::span(ids).subspan(first->tokens().size());
    EXPECT_EQ(missing.size(), 1U);
    EXPECT_EQ(logitsAfter(*third, last), logitsAfter(*first, missing)) << "from files";
}

} // namespace fireside::test
