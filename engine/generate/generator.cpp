#include "engine/generate/generator.h"

#include "engine/core/error.h"
#include "engine/generate/reply_state.h"

namespace fireside {
namespace {

/// A reply of one session, which may go on in another one.
class Reply
{
public:
    Reply(ReplyPlace place, const GenerateRequest &request, const GenerateEvents &events,
          const std::stop_token &stop)
        : m_place(place)
        , m_request(request)
        , m_events(events)
        , m_stop(stop)
        , m_state(request, events, *place.tokenizer, stop)
    {}

    GenerateResult run()
    {
        try {
            std::vector<TokenId> ids;
            TokenId next = afterPrompt();
            for (;;) {
                if (const auto reason = m_state.take(next, *m_place.tokenizer, capacity(), ids))
                    return finish(*reason);
                next = computed(ids, {});
            }
        } catch (const Error &e) {
            if (e.kind() != ErrorKind::Cancelled)
                throw;
        }
        return finish(FinishReason::Stopped);
    }

private:
    std::size_t capacity() const { return static_cast<std::size_t>(m_place.session->capacity()); }

    TokenId afterPrompt()
    {
        const std::size_t reused = reusePrefix(*m_place.session, m_request.prompt,
                                               m_state.choose().drafts(), m_request.reuse);
        m_state.started(reused);
        const TokenId next = computed(std::span(m_request.prompt).subspan(reused), [&](int done) {
            m_state.tellPrompt(reused + static_cast<std::size_t>(done));
        });
        m_state.promptDone();
        return next;
    }

    /// The token after `ids`, the last of the reply's; computed on another device if this one
    /// fails.
    TokenId computed(std::span<const TokenId> ids, std::function<void(int)> progress)
    {
        const auto fromStart = [&] {
            const std::size_t there =
                reusePrefix(*m_place.session, m_state.tokens(), m_state.choose().drafts());
            ids = m_state.tokens().subspan(there);
            progress = [this, there](int done) {
                m_state.tellPrompt(there + static_cast<std::size_t>(done));
            };
        };
        // The chat has become so long that all of it is read once more.
        if (!m_place.session->servesUpTo(m_state.tokens().size()))
            fromStart();
        for (;;) {
            try {
                if (m_events.beforePass)
                    m_events.beforePass();
                std::function<void(int)> told = progress;
                if (progress && m_events.beforePass)
                    told = [&](int done) {
                        progress(done);
                        m_events.beforePass();
                    };
                return m_state.choose().after(*m_place.session, ids, told, m_stop,
                                              m_state.more(capacity()));
            } catch (const Error &error) {
                if (error.kind() == ErrorKind::Cancelled || !move(error))
                    throw;
            }
            fromStart();
        }
    }

    /// Asks for another device to go on with; false when there is none.
    bool move(const Error &error)
    {
        if (!m_events.elsewhere)
            return false;
        m_place.session = nullptr; // may be gone from here on
        const ReplyPlace place = m_events.elsewhere(error);
        if (place.session == nullptr)
            return false;
        m_place = place;
        m_state.choose().moved(*m_place.session);
        return true;
    }

    GenerateResult finish(FinishReason reason)
    {
        Session *session = m_place.session;
        const std::size_t read = session != nullptr ? session->tokens().size() : 0;
        if (session != nullptr)
            m_state.choose().forget(*session);
        return m_state.finish(reason, read);
    }

    ReplyPlace m_place;
    const GenerateRequest &m_request;
    const GenerateEvents &m_events;
    std::stop_token m_stop;
    ReplyState m_state;
};

} // namespace

const char *toString(FinishReason reason)
{
    switch (reason) {
    case FinishReason::EndOfText:
        return "end";
    case FinishReason::StopString:
        return "stop string";
    case FinishReason::MaxTokens:
        return "length";
    case FinishReason::ContextFull:
        return "context full";
    case FinishReason::Stopped:
        return "stopped";
    }
    return "";
}

GenerateResult generate(Session &session, const Tokenizer &tokenizer,
                        const GenerateRequest &request, const GenerateEvents &events,
                        std::stop_token stop)
{
    if (request.prompt.empty())
        throwBadInput("the prompt is empty");
    if (request.prompt.size() >= static_cast<std::size_t>(session.capacity()))
        throwBadInput("the prompt has " + std::to_string(request.prompt.size()) +
                      " tokens, the context " + std::to_string(session.capacity()));
    return Reply({&session, &tokenizer}, request, events, stop).run();
}

} // namespace fireside
