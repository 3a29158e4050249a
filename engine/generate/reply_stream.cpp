#include "engine/generate/reply_stream.h"

#include <algorithm>

namespace fireside {

ReplyStream::ReplyStream(const GenerateRequest &request, const GenerateEvents &events,
                         const Tokenizer &tokenizer)
    : m_request(request)
    , m_events(events)
    , m_stops(request.stopStrings)
    , m_trimming(request.trimStart)
{
    if (request.format)
        m_parser.emplace(*request.format, &tokenizer, request.inReasoning, request.inAnswer);
}

void ReplyStream::push(TokenId token, const Tokenizer &tokenizer, const GenerateStats &stats)
{
    if (!m_parser) {
        show(m_stops.push(m_characters.push(tokenizer.bytes(token, m_request.showControlTokens))),
             stats);
        return;
    }
    if (m_parser->inReasoning())
        ++m_thoughts;
    else
        m_ended = false;
    const std::string bytes = tokenizer.bytes(token, true);
    if (tokenizer.isMarker(token)) {
        const bool hidden = tokenizer.isControl(token) && !m_request.showControlTokens;
        hear(m_characters.finish(), Piece::Words);
        hear(m_characters.push(bytes), hidden ? Piece::Hidden : Piece::Marker);
    } else {
        hear(m_characters.push(bytes), Piece::Words);
    }
    tell(stats);
}

void ReplyStream::finish(const GenerateStats &stats)
{
    const std::string last = m_characters.finish();
    if (!m_parser) {
        show(m_stops.push(last), stats);
        show(m_stops.finish(), stats);
        return;
    }
    hear(last, Piece::Words);
    pass(m_stops.finish());
    m_parser->finish(m_deltas);
    tell(stats);
}

bool ReplyStream::thoughtEnough() const
{
    if (!m_parser || !m_parser->inReasoning() || m_ended || m_characters.waits())
        return false;
    return (m_request.thinkingBudget > 0 && m_thoughts >= m_request.thinkingBudget) ||
           (m_events.endThoughts && m_events.endThoughts());
}

std::vector<TokenId> ReplyStream::endOfThoughts(const Tokenizer &tokenizer)
{
    m_ended = true;
    return tokenizer.encode(MarkedText::trusted(m_request.format->reasoningEnd), false);
}

/// Through the stop strings to the parser. They end the answer: in thoughts, headers and calls of
/// tools they mean nothing, nor does a part of a marker.
void ReplyStream::hear(const std::string &text, Piece piece)
{
    if (text.empty())
        return;
    m_runs.push_back({text.size(), piece});
    const auto &stops = m_request.stopStrings;
    const bool marker = piece != Piece::Words &&
                        std::none_of(stops.begin(), stops.end(), [&](const std::string &stop) {
                            return stop.find(text) != std::string::npos;
                        });
    if ((marker || !m_parser->inText()) && !m_stops.found()) {
        pass(m_stops.finish());
        pass(text);
    } else {
        pass(m_stops.push(text));
    }
}

/// To the parser, with what each byte was when it was heard.
void ReplyStream::pass(std::string_view text)
{
    while (!text.empty()) {
        Run &run = m_runs.front();
        const std::size_t length = std::min(run.length, text.size());
        m_parser->push(text.substr(0, length), run.piece, m_deltas);
        text.remove_prefix(length);
        run.length -= length;
        if (run.length == 0)
            m_runs.pop_front();
    }
}

void ReplyStream::show(std::string_view text, const GenerateStats &stats)
{
    if (m_trimming)
        text.remove_prefix(std::min(text.find_first_not_of(" \n\t"), text.size()));
    m_trimming = m_trimming && text.empty();
    if (!text.empty() && m_events.text)
        m_events.text(text, stats);
}

void ReplyStream::tell(const GenerateStats &stats)
{
    if (!m_deltas.empty() && m_events.parts)
        m_events.parts(m_deltas, stats);
    m_deltas.clear();
}

} // namespace fireside
