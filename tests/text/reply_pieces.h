#pragma once
#include "engine/text/reply/reply_parser.h"
#include "engine/text/tokenizer.h"
#include "engine/text/tokenizers/vocabulary.h"

#include <random>
#include <string>
#include <utility>
#include <vector>

// Replies cut up as models write them, and worse.
namespace fireside::test {

/// Has every text that looks like a marker as a token of its own, and nothing else.
class MarkerTokenizer : public Tokenizer
{
public:
    std::vector<TokenId> encode(const MarkedText &, bool) const override { return {}; }
    std::string bytes(TokenId, bool) const override { return {}; }
    std::string decode(std::span<const TokenId>, bool) const override { return {}; }
    std::size_t size() const override { return 1; }
    std::optional<TokenId> find(std::string_view text) const override
    {
        const bool whole = looksLikeMarker(text) &&
                           text.find_first_of("<>[]", 1) == text.size() - 1 &&
                           text.find_first_of(" =") == std::string_view::npos;
        return whole ? std::optional<TokenId>(0) : std::nullopt;
    }
    bool isControl(TokenId) const override { return true; }
    bool endsGeneration(TokenId) const override { return false; }
    std::optional<TokenId> bos() const override { return {}; }
    std::optional<TokenId> eos() const override { return {}; }
    std::string bosText() const override { return {}; }
    std::string eosText() const override { return {}; }
};

inline std::vector<std::string> pieces(const std::string &text, std::size_t longest,
                                       std::mt19937 &random)
{
    std::vector<std::string> result;
    for (std::size_t at = 0; at < text.size(); at += result.back().size())
        result.push_back(text.substr(at, 1 + random() % longest));
    return result;
}

/// Markers as tokens, the rest in random pieces.
inline std::vector<std::pair<std::string, ReplyParser::Piece>> tokenPieces(const std::string &text,
                                                                           std::mt19937 &random)
{
    using Piece = ReplyParser::Piece;
    const MarkerTokenizer tokenizer;
    std::vector<std::pair<std::string, Piece>> result;
    for (std::size_t at = 0; at < text.size(); at += result.back().first.size()) {
        const std::size_t open = text.find_first_of("<[", at);
        if (open == at) {
            const std::size_t close = text.find_first_of(">]", at);
            const std::string marker = text.substr(at, close - at + 1);
            if (close != std::string::npos && tokenizer.find(marker)) {
                const bool hidden = marker.find('|') != std::string::npos;
                result.emplace_back(marker, hidden ? Piece::Hidden : Piece::Marker);
                continue;
            }
        }
        const std::size_t end = text.find_first_of("<[", at + 1);
        const std::size_t room = std::min(end, text.size()) - at;
        result.emplace_back(text.substr(at, std::min(room, 1 + random() % 9)), Piece::Words);
    }
    return result;
}

inline std::string rawText(const std::vector<ReplyDelta> &deltas)
{
    std::string raw;
    for (const ReplyDelta &delta : deltas)
        raw += delta.raw;
    return raw;
}

/// Cut off, with pieces taken out, put in and exchanged.
inline std::string damaged(std::string text, const std::string &other, std::mt19937 &random)
{
    const auto place = [&] { return random() % (text.size() + 1); };
    for (int fault = 0; fault < 1 + static_cast<int>(random() % 3); ++fault) {
        const std::size_t length = random() % 12;
        switch (random() % 5) {
        case 0:
            text.resize(place());
            break;
        case 1:
            text.erase(place(), length);
            break;
        case 2:
            text.insert(place(), other.substr(random() % (other.size() + 1), length));
            break;
        case 3:
            text += other;
            break;
        default:
            for (std::size_t at = place(), n = 0; at < text.size() && n < length; ++at, ++n)
                text[at] = static_cast<char>(random());
        }
    }
    return text;
}

} // namespace fireside::test
