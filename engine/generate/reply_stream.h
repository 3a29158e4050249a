#pragma once
#include "engine/generate/generator.h"
#include "engine/generate/stop_strings.h"
#include "engine/text/reply/reply_parser.h"
#include "engine/text/utf8_stream.h"

#include <deque>
#include <optional>
#include <vector>

namespace fireside {

/// From tokens to what a listener hears: whole characters, stop strings, and parts where the
/// request has a format.
class ReplyStream
{
public:
    ReplyStream(const GenerateRequest &request, const GenerateEvents &events,
                const Tokenizer &tokenizer);

    void push(TokenId token, const Tokenizer &tokenizer, const GenerateStats &stats);
    void finish(const GenerateStats &stats);
    bool stopped() const { return m_stops.found(); }
    const std::string &stopString() const { return m_stops.which(); }

    /// What comes next belongs to the answer, not to reasoning, a header or a call.
    bool inAnswer() const { return !m_parser || m_parser->inText(); }
    /// Reasoning goes on beyond the request's budget, or where somebody wants its end.
    bool thoughtEnough() const;
    int thoughts() const { return m_thoughts; } // tokens
    /// What ends it and leads to the answer; once for each time that it began.
    std::vector<TokenId> endOfThoughts(const Tokenizer &tokenizer);

private:
    using Piece = ReplyParser::Piece;
    struct Run // of bytes that went to the stop strings and have not come back
    {
        std::size_t length;
        Piece piece;
    };

    void hear(const std::string &text, Piece piece);
    void pass(std::string_view text);
    void show(std::string_view text, const GenerateStats &stats);
    void tell(const GenerateStats &stats);

    const GenerateRequest &m_request;
    const GenerateEvents &m_events;
    Utf8Stream m_characters;
    StopStrings m_stops;
    bool m_trimming;
    std::optional<ReplyParser> m_parser;
    std::deque<Run> m_runs{};
    std::vector<ReplyDelta> m_deltas{};
    int m_thoughts = 0;   // tokens
    bool m_ended = false; // by force, since reasoning began
};

} // namespace fireside
