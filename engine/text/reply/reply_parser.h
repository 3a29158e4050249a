#pragma once
#include "engine/text/reply/call_scan.h"
#include "engine/text/reply/reply_format.h"
#include "engine/text/reply/reply_parts.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace fireside {

class Tokenizer;

/// Cuts a reply into parts while it is written. Linear in its length; nothing that was pushed is
/// lost, whatever it is: calls that are broken, never end, or are of no offered tool become text.
class ReplyParser
{
public:
    enum class Piece : char {
        Words,  // of ordinary tokens
        Marker, // a token that stands for a marker, shown where it means nothing
        Hidden, // a control token
    };

    /// With a tokenizer, a marker that its vocabulary has as a token is only recognised as that
    /// token, never in text that merely looks like it. It may go when the parser is made.
    /// `inReasoning`: ReplyFormat::opensIn(). `inAnswer`: the reply goes on in the middle of its
    /// answer, so that white space it begins with belongs to it.
    explicit ReplyParser(const ReplyFormat &format, const Tokenizer *tokenizer = nullptr,
                         bool inReasoning = false, bool inAnswer = false);

    /// UTF-8 in pieces of any size.
    void push(std::string_view text, Piece piece, std::vector<ReplyDelta> &out);
    /// The end of the reply: what was held back.
    void finish(std::vector<ReplyDelta> &out);
    bool inReasoning() const { return m_state == State::Reasoning; }
    bool inText() const { return m_state == State::Text; }
    bool inCall() const { return m_state == State::Call; }

private:
    enum class State { Text, Reasoning, Call, Header };
    enum class Event { Open, Close, Call, CallEnd, Hide, Header, Message };
    struct Mark
    {
        std::string text;
        std::vector<bool> token; // bytes that must be of a token
        Event event;
        const CallSyntax *syntax;
        bool isToken() const { return std::find(token.begin(), token.end(), true) != token.end(); }
    };
    struct CallEnd // in held()
    {
        std::size_t bodyEnd, end;
    };
    struct Found
    {
        std::size_t at;   // without a mark: from where on nothing is decided
        const Mark *mark; // nullptr: none
    };

    static Mark makeMark(const Tokenizer *tokenizer, std::string_view text, Event event,
                         const CallSyntax *syntax = nullptr);
    void makeMarks(const Tokenizer *tokenizer);
    const OfferedTools &tools() const;
    std::string_view held() const { return std::string_view(m_held).substr(m_done); }
    std::size_t matching(const Mark &mark, std::string_view text, std::size_t at) const;
    Found search(const std::vector<Mark> &marks);
    bool isAllowed(const Mark &mark, std::size_t at) const;
    void process(std::vector<ReplyDelta> &out);
    bool stepText(std::vector<ReplyDelta> &out);
    bool stepReasoning(std::vector<ReplyDelta> &out);
    bool stepCall(std::vector<ReplyDelta> &out);
    bool stepHeader(std::vector<ReplyDelta> &out);
    /// What stands before a call without marks: white space, a fence, a comma after another call.
    struct Bare
    {
        enum { No, Wait, Yes } is = No;
        std::size_t length = 0;
        bool fence = false;
    };
    Bare bareCallAt(std::size_t at) const;
    std::optional<std::size_t> findBareCall(std::size_t end, Bare &bare) const;
    bool hideFence(std::vector<ReplyDelta> &out);
    void beginCall(const CallSyntax *syntax, std::size_t openLength);
    bool mayBeCall() const;
    void followCall(std::size_t bodyEnd);
    bool stepCallEnd(const Found &found, std::vector<ReplyDelta> &out);
    bool opensNext(std::size_t at, bool &waits) const;
    bool endBalanced(std::vector<ReplyDelta> &out);
    void endLast(std::vector<ReplyDelta> &out);
    bool endCall(CallEnd at, std::vector<ReplyDelta> &out);
    void callIsText(std::size_t length, std::vector<ReplyDelta> &out);
    std::optional<std::vector<ToolCall>> read(std::string_view body) const;
    void enterChannel(std::string_view header);
    void enter(State state);
    void show(std::size_t length, std::vector<ReplyDelta> &out);
    void hide(std::size_t length, std::vector<ReplyDelta> &out);
    void emitWords(std::string words, std::string raw, std::vector<ReplyDelta> &out);
    std::string taken(std::size_t length);

    const ReplyFormat m_format;
    std::vector<Mark> m_inText, m_inReasoning, m_inHeader;
    std::vector<Mark> m_ends;   // of calls
    std::vector<Mark> m_inCall; // of the current one: what ends it, or begins another
    State m_state = State::Text;
    std::string m_held;        // what was pushed from the oldest undecided byte on
    std::string m_kinds;       // a Piece for each byte of it
    std::size_t m_done = 0;    // bytes of it that were handed on
    std::size_t m_scanned = 0; // in held(): no mark begins before
    bool m_final = false;
    // Of the current part.
    bool m_begins = true;  // nothing was shown yet
    std::string m_space{}; // handed on, and shown when words follow
    // Of the whole reply.
    bool m_anyText = false;   // words outside of reasoning
    bool m_reasoned = false;  // there were thoughts before
    bool m_lineStart = true;  // only white space since the last line break
    bool m_afterCall = false; // only white space since a call
    bool m_inFence = false;   // that a call without marks began in
    // Of the current call.
    const CallSyntax *m_syntax = nullptr; // nullptr: in a channel
    State m_outside = State::Text;        // where it began
    std::size_t m_openLength = 0;         // in held(): what opened it
    bool m_fenced = false;
    std::optional<CallScan> m_scan{};
    std::optional<CallEnd> m_firstEnd{}, m_brokenEnd{}; // closing marks that may be text
    std::size_t m_seenEnds = 0;
    std::string m_recipient{}; // the tool that a channel is for
};

} // namespace fireside
