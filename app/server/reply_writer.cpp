#include "app/server/reply_writer.h"

#include <algorithm>

namespace fireside::server {

namespace {

using Piece = ReplyPiece::Kind;

} // namespace

std::string ReplyWriter::Choice::all(Piece kind) const
{
    std::string text;
    for (const Block &block : blocks)
        if (block.kind == kind)
            text += block.text;
    return text;
}

bool ReplyWriter::Choice::calls() const
{
    return std::any_of(blocks.begin(), blocks.end(),
                       [](const Block &block) { return block.kind == Piece::Call; });
}

void ReplyWriter::take(Choice &choice, const ReplyEvent &event)
{
    if (event.allBeforeWasReasoning && !choice.blocks.empty()) {
        Block all{.kind = Piece::Reasoning};
        for (const Block &block : choice.blocks)
            all.text += block.text;
        choice.blocks.assign(1, std::move(all));
    }
    for (const ReplyPiece &piece : event.pieces) {
        const bool joins = !choice.blocks.empty() && choice.blocks.back().kind == piece.kind &&
                           piece.kind != Piece::Call;
        if (piece.kind == Piece::Arguments)
            choice.blocks.back().arguments += piece.text;
        else if (joins)
            choice.blocks.back().text += piece.text;
        else
            choice.blocks.push_back(
                {piece.kind, piece.text, piece.id, {}, piece.space, piece.takesText});
    }
    choice.reasoned = std::max(choice.reasoned, event.reasoned);
    choice.tokens.insert(choice.tokens.end(), event.probabilities.begin(),
                         event.probabilities.end());
}

std::string ReplyWriter::add(const ReplyEvent &event)
{
    Choice &choice = m_choices.at(event.choice);
    take(choice, event);
    if (event.finished) {
        const GenerateStats &stats = event.finished->stats;
        choice.finish = event.finished->finish;
        m_usage.prompt += stats.promptTokens;
        m_usage.cached += stats.reusedTokens;
        m_usage.generated += stats.generatedTokens;
        m_usage.reasoned += choice.reasoned;
    }
    return written(event);
}

json described(const DrawnToken &token)
{
    const auto one = [](const TokenChance &chance) {
        json numbers = json::array();
        for (const char c : chance.bytes)
            numbers.push_back(static_cast<unsigned char>(c));
        return json{
            {"token", chance.bytes}, {"logprob", chance.logProbability}, {"bytes", numbers}};
    };
    json all = one(token.drawn);
    all["top_logprobs"] = json::array();
    for (const TokenChance &likely : token.best)
        all["top_logprobs"].push_back(one(likely));
    return all;
}

std::string eventText(const json &data, const std::string &name)
{
    return (name.empty() ? "" : "event: " + name + "\n") + "data: " + dumped(data) + "\n\n";
}

} // namespace fireside::server
