#include "engine/convert/merge_order.h"

#include "engine/core/error.h"
#include "engine/text/readers/json_fields.h"

#include <nlohmann/json.hpp>
#include <string_view>
#include <unordered_map>

namespace fireside {
namespace {

using nlohmann::json;

/// How many ways there are to make a token of two others.
std::size_t waysTo(std::string_view text, const Vocabulary &tokens)
{
    const auto isPiece = [&](std::string_view part) {
        const auto id = tokens.find(part);
        return id && tokens.kind(*id) == TokenKind::Normal;
    };
    std::size_t ways = 0;
    for (std::size_t cut = 1; cut < text.size(); ++cut) {
        const bool within = (static_cast<unsigned char>(text[cut]) & 0xC0u) == 0x80u; // a character
        ways += !within && isPiece(text.substr(0, cut)) && isPiece(text.substr(cut));
    }
    return ways;
}

} // namespace

MergePairs mergePairsOf(const json &model, const std::string &where)
{
    MergePairs pairs;
    for (const json &merge : jsonMember(model, "merges")) {
        if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
            pairs.emplace_back(merge[0].get<std::string>(), merge[1].get<std::string>());
            continue;
        }
        const std::string text = merge.is_string() ? merge.get<std::string>() : "";
        const std::size_t space = text.find(' ');
        if (space == std::string::npos)
            throwBadInput(where + "model.merges holds what is no pair of tokens");
        pairs.emplace_back(text.substr(0, space), text.substr(space + 1));
    }
    return pairs;
}

std::optional<std::vector<float>> scoresOf(const MergePairs &merges, const Vocabulary &tokens)
{
    std::vector<float> scores(tokens.size(), 0);
    std::unordered_map<TokenId, std::size_t> ways;
    TokenId last = -1;
    float rank = 0;
    for (const auto &[left, right] : merges) {
        const auto made = tokens.find(left + right);
        if (!made)
            return std::nullopt;
        const bool known = ways[*made]++ > 0;
        if (known && *made != last)
            return std::nullopt;
        if (!known)
            scores[static_cast<std::size_t>(*made)] = -(++rank);
        last = *made;
    }
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const auto id = static_cast<TokenId>(i);
        if (tokens.kind(id) != TokenKind::Normal)
            continue;
        const auto it = ways.find(id);
        if (waysTo(tokens.text(id), tokens) > (it == ways.end() ? 0 : it->second))
            return std::nullopt;
        if (it == ways.end()) // one character, or what nothing is joined to
            scores[i] = -(static_cast<float>(merges.size()) + static_cast<float>(i));
    }
    return scores;
}

} // namespace fireside
