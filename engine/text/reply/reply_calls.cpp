// The part of the parser that reads calls of tools.
#include "engine/text/reply/call_values.h"
#include "engine/text/reply/reply_parser.h"
#include "engine/text/reply/tagged_calls.h"

#include <algorithm>
#include <array>
#include <utility>

namespace fireside {
namespace {

constexpr std::size_t kMaxOpening = 600;  // bytes that decide whether a call begins
constexpr std::size_t kMaxTextEnds = 256; // closing marks within one value
constexpr std::size_t kMaxBlanks = 256;   // that are waited through for what follows a call
constexpr std::size_t kMaxFenceWord = 20;
constexpr std::string_view kFence = "```";
constexpr std::array<std::string_view, 6> kCallKeys{
    "\"name\"", "\"type\"", "\"function\"", "\"parameters\"", "\"arguments\"", "\"id\""};

/// Takes "```json" and its line break off the front; nullopt: the line has not ended yet.
std::optional<bool> takeFence(std::string_view &text)
{
    if (text.size() < kFence.size() && kFence.starts_with(text))
        return std::nullopt;
    if (!take(text, kFence))
        return false;
    const std::string_view word = text.substr(0, text.find_first_of("\n{[` "));
    if (word.size() > kMaxFenceWord)
        return false;
    text.remove_prefix(word.size());
    while (take(text, " ")) {
    }
    if (text.empty())
        return std::nullopt;
    return take(text, "\n") || text.starts_with('{') || text.starts_with('[');
}

} // namespace

const OfferedTools &ReplyParser::tools() const
{
    static const OfferedTools kAny;
    return m_format.offered ? *m_format.offered : kAny;
}

// ---- Where calls begin ------------------------------------------------------------------------

/// Whether a call without marks begins there: its first member is one that calls have.
ReplyParser::Bare ReplyParser::bareCallAt(std::size_t at) const
{
    const std::string_view all = held().substr(at, kMaxOpening);
    const Bare wait{m_final || all.size() == kMaxOpening ? Bare::No : Bare::Wait};
    std::string_view text = all;
    Bare bare;
    if (text.starts_with('`')) {
        const auto taken = takeFence(text);
        if (!taken)
            return wait;
        if (!*taken)
            return bare;
        bare.fence = true;
        skipSpace(text);
    }
    bare.length = all.size() - text.size();
    const std::string_view body = text;
    if (take(text, "["))
        skipSpace(text);
    if (text.empty())
        return wait;
    if (!take(text, "{"))
        return bare;
    skipSpace(text);
    for (const std::string_view key : kCallKeys) {
        if (text.starts_with(key)) {
            if (callSyntax("json").mayBegin(body, tools()))
                bare.is = Bare::Yes;
            return bare;
        }
        if (key.starts_with(text))
            return wait;
    }
    return bare;
}

/// Such calls begin the reply; where the tools are known, so that nothing else is mistaken for
/// one, any of its lines.
std::optional<std::size_t> ReplyParser::findBareCall(std::size_t end, Bare &bare) const
{
    const auto isBare = [](const CallSyntax *syntax) { return syntax->open.empty(); };
    if (std::none_of(m_format.calls.begin(), m_format.calls.end(), isBare) ||
        (m_anyText && !tools().areKnown()))
        return std::nullopt;
    const std::string_view text = held();
    bool lineStart = m_lineStart;
    for (std::size_t at = 0; at < end; ++at) {
        const char c = text[at];
        if (c == '\n')
            lineStart = true;
        if (std::string_view(" \n\t\r").find(c) != std::string_view::npos)
            continue;
        if (lineStart && (c == '{' || c == '[' || c == '`')) {
            bare = bareCallAt(at);
            if (bare.is != Bare::No)
                return at;
        }
        if (!tools().areKnown())
            break;
        lineStart = false;
    }
    return std::nullopt;
}

/// Hides what closes the fence around a call. False: that is not known yet.
bool ReplyParser::hideFence(std::vector<ReplyDelta> &out)
{
    std::string_view text = held();
    skipSpace(text);
    if (!m_final && held().size() <= kMaxBlanks && text.size() < kFence.size() &&
        kFence.starts_with(text))
        return false;
    m_inFence = false;
    if (text.starts_with(kFence))
        hide(held().size() - text.size() + kFence.size(), out);
    m_scanned = 0;
    return !held().empty();
}

void ReplyParser::beginCall(const CallSyntax *syntax, std::size_t openLength)
{
    m_outside = m_state;
    m_state = State::Call;
    m_syntax = syntax;
    m_openLength = m_scanned = openLength;
    m_fenced = false;
    m_scan.reset();
    m_firstEnd.reset();
    m_brokenEnd.reset();
    m_seenEnds = 0;
    m_inCall.clear();
    if (syntax == nullptr) {
        m_inCall = m_inText;
        return;
    }
    for (const Mark &end : m_ends)
        if (end.syntax->open == syntax->open)
            m_inCall.push_back(end);
    for (const Mark &mark : m_inText)
        if (mark.event == Event::Call && mark.syntax == syntax)
            m_inCall.push_back(mark);
}

bool ReplyParser::mayBeCall() const
{
    const std::string_view body = held().substr(m_openLength, kMaxOpening);
    return m_syntax == nullptr ||
           std::any_of(m_format.calls.begin(), m_format.calls.end(), [&](const CallSyntax *one) {
               return one->open == m_syntax->open && one->mayBegin(body, tools());
           });
}

// ---- Where they end ---------------------------------------------------------------------------

void ReplyParser::followCall(std::size_t bodyEnd)
{
    const std::string_view body = held().substr(m_openLength, bodyEnd - m_openLength);
    if (!m_scan) {
        CallBody kind = CallBody::Json;
        const auto mayBe = [&](const CallSyntax *one) {
            return m_syntax != nullptr && one->open == m_syntax->open &&
                   one->mayBegin(body.substr(0, kMaxOpening), tools());
        };
        const auto found = std::find_if(m_format.calls.begin(), m_format.calls.end(), mayBe);
        if (found != m_format.calls.end())
            kind = (*found)->body;
        if (m_syntax != nullptr && m_syntax->open == "<function=")
            kind = body.find('{') < body.find("<parameter=") ? CallBody::Json
                                                             : CallBody::BareFunctionTags;
        m_scan.emplace(kind);
    }
    m_scan->follow(body);
}

bool ReplyParser::stepCall(std::vector<ReplyDelta> &out)
{
    if (!mayBeCall()) { // only the name of a marker
        m_state = m_outside;
        m_scanned = 0;
        show(m_openLength, out);
        return true;
    }
    if (m_syntax != nullptr && m_syntax->close.empty() && endBalanced(out))
        return true;
    const Found found = search(m_inCall);
    if (found.mark != nullptr)
        return stepCallEnd(found, out);
    if (m_final)
        endLast(out);
    return m_final;
}

/// Whether another call is opened there, so that the one before has ended.
bool ReplyParser::opensNext(std::size_t at, bool &waits) const
{
    std::string_view next = held().substr(at);
    skipSpace(next);
    waits = !m_final && held().size() - at <= kMaxBlanks && next.size() < m_syntax->open.size() &&
            m_syntax->open.starts_with(next);
    return next.starts_with(m_syntax->open);
}

/// A mark that closes the call or opens another one, unless it is a part of a value.
bool ReplyParser::stepCallEnd(const Found &found, std::vector<ReplyDelta> &out)
{
    using ScanState = CallScan::State;
    const std::size_t behind = found.at + found.mark->text.size();
    const std::string_view body = held().substr(m_openLength, found.at - m_openLength);
    followCall(found.at);
    ScanState state = m_scan->state(body);
    if (found.mark->event == Event::Call) {
        if (state == ScanState::Broken || m_scan->isComplete(body))
            endCall({found.at, found.at}, out);
        else
            m_scanned = behind;
        return true;
    }
    const CallEnd end{found.at, m_syntax == nullptr ? found.at : behind};
    if (state == ScanState::Broken) {
        bool waits = false;
        if (opensNext(behind, waits))
            state = ScanState::Ended;
        if (waits)
            return false;
        if (state == ScanState::Broken)
            m_brokenEnd = end;
    }
    if (state == ScanState::Ended) {
        endCall(end, out);
        return true;
    }
    if (!m_firstEnd)
        m_firstEnd = end;
    m_scanned = behind;
    if (++m_seenEnds > kMaxTextEnds)
        endLast(out);
    return true;
}

/// Ends a call without a closing mark behind its last bracket, once something else follows.
bool ReplyParser::endBalanced(std::vector<ReplyDelta> &out)
{
    if (m_syntax->body != CallBody::Json)
        return false;
    if (!m_scan)
        m_scan.emplace(CallBody::Json);
    const std::string_view body = held().substr(m_openLength);
    for (;;) {
        if (!m_scan->isBalanced())
            m_scan->follow(body, true);
        if (!m_scan->isBalanced())
            return false;
        std::string_view rest = body.substr(m_scan->at());
        skipSpace(rest);
        if (take(rest, ",") || take(rest, ";"))
            skipSpace(rest);
        if (rest.empty() && body.size() - m_scan->at() <= kMaxBlanks)
            return false;
        const bool another =
            rest.starts_with('{') || (!m_syntax->open.empty() && agree(rest, m_syntax->open));
        if (rest.empty() || !another)
            break;
        const std::size_t before = m_scan->at();
        m_scan->follow(body, true);
        if (m_scan->at() == before)
            return false;
    }
    std::size_t end = m_openLength + m_scan->at();
    const std::size_t first = m_openLength + m_scan->firstBalance().value_or(0);
    if (first != end && !read(held().substr(m_openLength, end - m_openLength)))
        end = first;
    endCall({end, end}, out);
    return true;
}

/// No more marks come: what ends the call is what looks most like an end.
void ReplyParser::endLast(std::vector<ReplyDelta> &out)
{
    const std::size_t all = held().size();
    std::vector<CallEnd> ends;
    if (m_final) {
        followCall(all);
        if (m_scan->isComplete(held().substr(m_openLength)))
            ends.push_back({all, all});
    }
    for (const auto &end : {m_brokenEnd, m_firstEnd})
        if (end)
            ends.push_back(*end);
    if (m_scan && m_scan->firstBalance()) {
        const std::size_t balanced = m_openLength + *m_scan->firstBalance();
        ends.push_back({balanced, balanced});
    }
    for (const CallEnd &end : ends)
        if (read(held().substr(m_openLength, end.bodyEnd - m_openLength))) {
            endCall(end, out);
            return;
        }
    callIsText(m_firstEnd ? m_firstEnd->end : all, out);
}

std::optional<std::vector<ToolCall>> ReplyParser::read(std::string_view body) const
{
    if (m_syntax == nullptr) {
        auto arguments = trimmed(body).empty() ? std::optional(nlohmann::ordered_json::object())
                                               : readStructure(body);
        auto call =
            arguments ? makeCall(m_recipient, std::move(*arguments), tools()) : std::nullopt;
        return call ? std::optional(std::vector{std::move(*call)}) : std::nullopt;
    }
    for (const CallSyntax *syntax : m_format.calls)
        if (syntax->open == m_syntax->open)
            if (auto calls = syntax->read(body, tools()))
                return calls;
    return std::nullopt;
}

bool ReplyParser::endCall(CallEnd at, std::vector<ReplyDelta> &out)
{
    const bool channel = m_syntax == nullptr;
    const auto calls = read(held().substr(m_openLength, at.bodyEnd - m_openLength));
    if (!calls) {
        callIsText(at.end, out);
    } else {
        if (m_outside == State::Reasoning)
            m_reasoned = true;
        enter(State::Text);
        std::string raw = taken(at.end);
        for (const ToolCall &call : *calls)
            out.push_back({ReplyPartKind::ToolCall, std::exchange(raw, {}), {}, call, true});
        m_afterCall = true;
        m_inFence = m_fenced;
    }
    if (channel && !held().empty())
        enter(State::Header);
    return calls.has_value();
}

/// Shows the first bytes of what looked like a call.
void ReplyParser::callIsText(std::size_t length, std::vector<ReplyDelta> &out)
{
    m_state = m_outside;
    m_scanned = 0;
    std::string raw = taken(length);
    emitWords(raw, raw, out);
}

} // namespace fireside
