#include "app/runtime/context_window.h"

#include "engine/core/error.h"

#include <algorithm>
#include <vector>

namespace fireside {
namespace {

const QLatin1String kSystem("system");
const QLatin1String kUserRole("user");

QList<TurnMessage> fromTurn(const QList<TurnMessage> &chat, int firstSeen)
{
    QList<TurnMessage> kept;
    for (int i = 0; i < chat.size(); ++i) {
        if (i >= firstSeen || chat[i].role == kSystem)
            kept.append(chat[i]);
    }
    return kept;
}

// The places where a shortened chat may start: user messages, so that pairs stay whole.
std::vector<int> turnStarts(const QList<TurnMessage> &chat)
{
    std::vector<int> starts;
    for (int i = 0; i < chat.size(); ++i) {
        if (chat[i].role == kUserRole)
            starts.push_back(i);
    }
    return starts;
}

std::string numbers(int tokens, int context)
{
    const int reserve = answerReserve(context);
    return std::to_string(tokens) + " tokens, and of the context of " + std::to_string(context) +
           " tokens " + std::to_string(context - reserve) + " are available (" +
           std::to_string(reserve) + " are kept for the answer)";
}

[[noreturn]] void throwTooLong(int tokens, int context)
{
    throw ContextFull("the message is too long: with what must precede it it takes " +
                          numbers(tokens, context),
                      {tokens, context - answerReserve(context), -1});
}

} // namespace

int answerReserve(int context)
{
    return std::min(512, context / 4);
}

int messageRoom(int context)
{
    constexpr int kTemplate = 32; // what the shorter templates write; the prompt itself decides
    return std::max(0, context - answerReserve(context) - kTemplate);
}

ContextWindow fitContext(const QList<TurnMessage> &chat, int context, bool dropOldest,
                         int previousFirstSeen, const TokenCounter &count)
{
    const int limit = context - answerReserve(context);
    const int wholeTokens = count(chat);
    if (wholeTokens <= limit)
        return {chat, 0, wholeTokens};

    const std::vector<int> starts = turnStarts(chat);
    if (starts.size() < 2)
        throwTooLong(wholeTokens, context);
    const auto tokensFrom = [&](int start) { return count(fromTurn(chat, start)); };
    const auto earliest = [&](int target) {
        // Token counts fall as the start moves on: the earliest start that fits is found by
        // bisection.
        return std::partition_point(starts.begin() + 1, starts.end(),
                                    [&](int start) { return tokensFrom(start) > target; });
    };
    if (!dropOldest) {
        if (const int alone = tokensFrom(starts.back()); alone > limit)
            throwTooLong(alone, context);
        const auto half = earliest(limit / 2);
        throw ContextFull("the chat has grown too long for the context: it takes " +
                              numbers(wholeTokens, context),
                          {wholeTokens, limit, half == starts.end() ? starts.back() : *half});
    }
    if (std::find(starts.begin() + 1, starts.end(), previousFirstSeen) != starts.end()) {
        const int tokens = tokensFrom(previousFirstSeen);
        if (tokens <= limit)
            return {fromTurn(chat, previousFirstSeen), previousFirstSeen, tokens};
    }

    auto start = earliest(limit - context / 8);
    if (start == starts.end())
        start = earliest(limit);
    if (start == starts.end())
        throwTooLong(tokensFrom(starts.back()), context);
    return {fromTurn(chat, *start), *start, tokensFrom(*start)};
}

} // namespace fireside
