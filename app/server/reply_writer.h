#pragma once
#include "app/server/parameters.h"
#include "app/server/reply_event.h"

#include <string>
#include <vector>

namespace fireside::server {

/// Writes replies as one of the interfaces wants them: a stream while they come, or whole.
class ReplyWriter
{
public:
    explicit ReplyWriter(std::size_t choices)
        : m_choices(choices)
    {}
    virtual ~ReplyWriter() = default;

    /// What a stream begins with.
    virtual std::string begin() { return {}; }
    /// Takes an event; what the stream says of it.
    std::string add(const ReplyEvent &event);
    /// Behind the end of the last reply.
    virtual std::string end() = 0;
    /// In the middle of a stream, which ends with it.
    virtual std::string failed(int status, const std::string &text) = 0;
    /// A sign of life that changes nothing.
    virtual std::string breath() const { return ":\n\n"; }
    /// All that was taken, as one object.
    virtual json whole() = 0;

protected:
    /// Joined pieces: of a call the name, its arguments beside it.
    struct Block
    {
        ReplyPiece::Kind kind = ReplyPiece::Kind::Text;
        std::string text{}, id{}, arguments{}, space{};
        bool takesText = false;
    };
    struct Choice
    {
        std::vector<Block> blocks{};
        std::vector<DrawnToken> tokens{};
        std::optional<FinishReason> finish{};
        int reasoned = 0;           // tokens of thoughts
        bool begun = false;         // for writers
        bool callTakesText = false; // of the call that is streamed
        std::string all(ReplyPiece::Kind kind) const;
        bool calls() const;
    };
    struct Usage
    {
        int prompt = 0, cached = 0, generated = 0; // tokens
        int reasoned = 0;                          // of those generated, about
    };
    /// What a stream says of an event whose pieces are in m_choices already.
    virtual std::string written(const ReplyEvent &event) = 0;

    std::vector<Choice> m_choices;
    Usage m_usage;

private:
    static void take(Choice &choice, const ReplyEvent &event);
};

/// A token as OpenAI's interfaces tell it, with its bytes and the likeliest in its place.
json described(const DrawnToken &token);

/// "data: …" of server-sent events, with its name before it where it has one.
std::string eventText(const json &data, const std::string &name = {});

} // namespace fireside::server
