#include "engine/text/reply/reply_parser.h"

#include "engine/text/reply/call_values.h"
#include "engine/text/tokenizer.h"
#include "engine/text/unicode.h"

#include <array>

namespace fireside {
namespace {

constexpr std::string_view kSpaces = " \n\t\r";
constexpr std::string_view kMessage = "<|message|>";
constexpr std::array<std::string_view, 5> kHeaderMarks{"<|start|>", "<|channel|>", "<|end|>",
                                                       "<|call|>", "<|return|>"};
constexpr std::size_t kLongestHeader = 256;

/// Where a character begins at the end of the text that may go on; the text's size if there is
/// none.
std::size_t wholeCharacters(std::string_view text)
{
    for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
        const auto byte = static_cast<unsigned char>(text[text.size() - back]);
        if ((byte & 0xC0) == 0x80)
            continue;
        const std::size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
        return length > back ? text.size() - back : text.size();
    }
    return text.size();
}

/// One begins with the other.
bool agree(std::string_view a, std::string_view b)
{
    const std::size_t length = std::min(a.size(), b.size());
    return a.substr(0, length) == b.substr(0, length);
}

/// The word behind `key` in a header.
std::string_view wordBehind(std::string_view header, std::string_view key)
{
    const std::size_t at = header.find(key);
    if (at == std::string_view::npos)
        return {};
    const std::string_view rest = header.substr(at + key.size());
    return rest.substr(0, rest.find_first_of(" \n\t<"));
}

bool canBeHeader(std::string_view text)
{
    skipSpace(text);
    const auto agrees = [&](std::string_view mark) { return agree(text, mark); };
    const std::string_view role = "assistant";
    const bool otherWord = text.size() > role.size() && text[role.size()] != ' ' &&
                           text[role.size()] != '<' && text[role.size()] != '\n';
    return std::any_of(kHeaderMarks.begin(), kHeaderMarks.end(), agrees) || agrees(kMessage) ||
           agrees("to=") || agrees("<|constrain|>") || (agrees(role) && !otherWord);
}

} // namespace

ReplyParser::ReplyParser(const ReplyFormat &format, const Tokenizer *tokenizer, bool inReasoning,
                         bool inAnswer)
    : m_format(format)
    , m_begins(!inAnswer)
    , m_anyText(inAnswer)
{
    makeMarks(tokenizer);
    if (inReasoning)
        enter(State::Reasoning);
    else if (m_format.channels)
        enter(State::Header);
}

ReplyParser::Mark ReplyParser::makeMark(const Tokenizer *tokenizer, std::string_view text,
                                        Event event, const CallSyntax *syntax)
{
    Mark mark{std::string(text), std::vector<bool>(text.size()), event, syntax};
    for (std::size_t at = 0; tokenizer != nullptr && at < text.size();) {
        std::size_t length = text.size() - at;
        for (; length >= 3; --length) {
            const auto id = tokenizer->find(text.substr(at, length));
            if (id && tokenizer->isMarker(*id))
                break;
        }
        if (length < 3) {
            ++at;
            continue;
        }
        std::fill_n(mark.token.begin() + static_cast<std::ptrdiff_t>(at), length, true);
        at += length;
    }
    return mark;
}

void ReplyParser::makeMarks(const Tokenizer *tokenizer)
{
    const auto mark = [&](std::string_view text, Event event, const CallSyntax *syntax = nullptr) {
        return makeMark(tokenizer, text, event, syntax);
    };
    if (m_format.channels) {
        for (const std::string_view text : kHeaderMarks)
            m_inText.push_back(mark(text, Event::Header));
        m_inText.push_back(mark(kMessage, Event::Header));
        m_inReasoning = m_inText;
        m_inHeader = {mark(kMessage, Event::Message)};
        return;
    }
    m_inText = {mark(m_format.reasoningOpen, Event::Open),
                mark(m_format.reasoningClose, Event::Close)};
    m_inReasoning = {m_inText.back()};
    for (const std::string &frame : m_format.frames)
        m_inText.push_back(mark(frame, Event::Hide));
    for (const CallSyntax *syntax : m_format.calls) {
        if (!syntax->close.empty())
            m_ends.push_back(mark(syntax->close, Event::Close, syntax));
        if (syntax->open.empty())
            continue;
        m_inText.push_back(mark(syntax->open, Event::Call, syntax));
        // Some models call tools without ending their thoughts before.
        if (m_inText.back().isToken())
            m_inReasoning.push_back(m_inText.back());
    }
}

void ReplyParser::push(std::string_view text, Piece piece, std::vector<ReplyDelta> &out)
{
    m_held += text;
    m_kinds.append(text.size(), static_cast<char>(piece));
    process(out);
}

void ReplyParser::finish(std::vector<ReplyDelta> &out)
{
    m_final = true;
    process(out);
}

void ReplyParser::process(std::vector<ReplyDelta> &out)
{
    const auto step = [&] {
        switch (m_state) {
        case State::Text:
            return stepText(out);
        case State::Reasoning:
            return stepReasoning(out);
        case State::Call:
            return stepCall(out);
        case State::Header:
            return stepHeader(out);
        }
        return false;
    };
    while (!held().empty() && step())
        ;
    m_held.erase(0, m_done);
    m_kinds.erase(0, m_done);
    m_done = 0;
}

// ---- Looking for marks ------------------------------------------------------------------------

/// How many bytes of the mark stand at `at`, up to the end of the text; 0 when another follows.
std::size_t ReplyParser::matching(const Mark &mark, std::string_view text, std::size_t at) const
{
    const std::size_t length = std::min(mark.text.size(), text.size() - at);
    for (std::size_t i = 0; i < length; ++i) {
        const bool token = m_kinds[m_done + at + i] != static_cast<char>(Piece::Words);
        if (mark.text[i] != text[at + i] || (mark.token[i] && !token))
            return 0;
    }
    return length;
}

ReplyParser::Found ReplyParser::search(const std::vector<Mark> &marks)
{
    const std::string_view text = held();
    for (std::size_t at = m_scanned; at < text.size(); ++at) {
        bool partly = false;
        for (const Mark &mark : marks) {
            const std::size_t length = matching(mark, text, at);
            if (length == mark.text.size())
                return {m_scanned = at, &mark};
            partly = partly || length > 0;
        }
        if (partly && !m_final) {
            m_scanned = at;
            return {at, nullptr};
        }
    }
    m_scanned = m_final ? text.size() : wholeCharacters(text);
    return {m_scanned, nullptr};
}

/// Marks that are ordinary text mean something only where they are expected.
bool ReplyParser::isAllowed(const Mark &mark, std::size_t at) const
{
    switch (mark.event) {
    case Event::Open:
        return mark.isToken() || (!m_anyText && trimmed(held().substr(0, at)).empty());
    case Event::Close: // of thoughts that the prompt began, or that began without a mark
        return !m_reasoned && (mark.isToken() || m_format.reasons);
    default:
        return true;
    }
}

// ---- States -----------------------------------------------------------------------------------

void ReplyParser::enter(State state)
{
    m_reasoned = m_reasoned || m_state == State::Reasoning;
    m_state = state;
    m_begins = true;
    m_space.clear();
    m_scanned = 0;
}

bool ReplyParser::stepText(std::vector<ReplyDelta> &out)
{
    switch (startsBareCall()) {
    case Bare::Wait:
        return false;
    case Bare::Yes:
        beginCall(&callSyntax("json"), 0);
        return true;
    case Bare::No:
        break;
    }
    const Found found = search(m_inText);
    if (found.mark == nullptr) {
        show(found.at, out);
        return false;
    }
    const Mark &mark = *found.mark;
    if (!isAllowed(mark, found.at)) {
        show(found.at + mark.text.size(), out);
        return true;
    }
    show(found.at, out);
    switch (mark.event) {
    case Event::Open:
        enter(State::Reasoning);
        hide(mark.text.size(), out);
        break;
    case Event::Close:
        enter(State::Text);
        hide(mark.text.size(), out);
        out.back().takesAllBefore = m_anyText;
        m_reasoned = true;
        break;
    case Event::Call:
        beginCall(mark.syntax, mark.text.size());
        break;
    case Event::Header:
        enter(State::Header);
        break;
    default:
        hide(mark.text.size(), out);
    }
    return true;
}

bool ReplyParser::stepReasoning(std::vector<ReplyDelta> &out)
{
    const Found found = search(m_inReasoning);
    show(found.at, out);
    if (found.mark == nullptr)
        return false;
    const Mark &mark = *found.mark;
    if (mark.event == Event::Header) {
        enter(State::Header);
    } else {
        enter(State::Text);
        if (mark.event == Event::Call)
            beginCall(mark.syntax, mark.text.size());
        else
            hide(mark.text.size(), out);
    }
    return true;
}

/// What stands between messages: <|start|>assistant to=functions.NAME<|channel|>…<|message|>
bool ReplyParser::stepHeader(std::vector<ReplyDelta> &out)
{
    const Found found = search(m_inHeader);
    const bool endless = found.mark == nullptr && found.at > kLongestHeader;
    if (endless || !canBeHeader(held())) { // the model does without
        m_state = State::Text;
        show(endless ? found.at : 0, out);
        m_scanned = 0;
        return true;
    }
    if (found.mark == nullptr) {
        if (m_final && trimmed(held()).starts_with('<'))
            hide(held().size(), out);
        else if (m_final)
            show(held().size(), out);
        return false;
    }
    const std::string header(held().substr(0, found.at));
    hide(found.at + found.mark->text.size(), out);
    enterChannel(header);
    return true;
}

void ReplyParser::enterChannel(std::string_view header)
{
    std::string_view recipient = wordBehind(header, "to=");
    if (!recipient.empty() && recipient != "assistant" && recipient != "user") {
        take(recipient, "functions.");
        enter(State::Text);
        beginCall(nullptr, 0);
        m_recipient = recipient;
        return;
    }
    enter(wordBehind(header, "<|channel|>") == "analysis" ? State::Reasoning : State::Text);
}

// ---- Calls ------------------------------------------------------------------------------------

/// Whether the reply itself is a call: its first member is one that calls have.
ReplyParser::Bare ReplyParser::startsBareCall() const
{
    const auto isBare = [](const CallSyntax *syntax) { return syntax->open.empty(); };
    if (m_anyText || std::none_of(m_format.calls.begin(), m_format.calls.end(), isBare))
        return Bare::No;
    std::string_view text = held();
    skipSpace(text);
    if (text.starts_with('[')) {
        text.remove_prefix(1);
        skipSpace(text);
    }
    if (text.empty())
        return trimmed(held()).empty() || m_final ? Bare::No : Bare::Wait;
    if (!take(text, "{"))
        return Bare::No;
    skipSpace(text);
    for (const std::string_view key :
         {"\"name\"", "\"type\"", "\"function\"", "\"parameters\"", "\"arguments\"", "\"id\""}) {
        if (text.starts_with(key))
            return Bare::Yes;
        if (!m_final && key.starts_with(text))
            return Bare::Wait;
    }
    return Bare::No;
}

void ReplyParser::beginCall(const CallSyntax *syntax, std::size_t openLength)
{
    m_state = State::Call;
    m_syntax = syntax;
    m_openLength = m_scanned = openLength;
    m_inCall.clear();
    if (syntax == nullptr)
        m_inCall = m_inText;
    for (const Mark &end : m_ends)
        if (end.syntax == syntax)
            m_inCall.push_back(end);
}

/// Whether a call that was opened like this one may go on with that character.
bool ReplyParser::mayFollowOpen(char first) const
{
    return m_syntax == nullptr ||
           std::any_of(m_format.calls.begin(), m_format.calls.end(), [&](const CallSyntax *one) {
               return one->open == m_syntax->open &&
                      (one->first.empty() || one->first.find(first) != std::string_view::npos);
           });
}

bool ReplyParser::stepCall(std::vector<ReplyDelta> &out)
{
    const std::size_t first = held().find_first_not_of(kSpaces, m_openLength);
    if (first != std::string_view::npos && !mayFollowOpen(held()[first])) {
        m_state = State::Text; // only the name of a marker
        show(m_openLength, out);
        return true;
    }
    const Found found = search(m_inCall);
    if (found.mark == nullptr) {
        if (m_final)
            endCall(held().size(), held().size(), out);
        return m_final;
    }
    const bool channel = m_syntax == nullptr; // whose end belongs to the next header
    endCall(found.at, found.at + (channel ? 0 : found.mark->text.size()), out);
    if (channel)
        enter(State::Header);
    return true;
}

std::optional<std::vector<ToolCall>> ReplyParser::read(std::string_view body) const
{
    if (m_syntax == nullptr) {
        const auto arguments = parseJson(trimmed(body));
        if (!arguments || !arguments->is_object() || !isToolName(m_recipient))
            return std::nullopt;
        return {{{m_recipient, arguments->dump(), {}}}};
    }
    for (const CallSyntax *syntax : m_format.calls)
        if (syntax->open == m_syntax->open)
            if (auto calls = syntax->read(body))
                return calls;
    return std::nullopt;
}

void ReplyParser::endCall(std::size_t bodyEnd, std::size_t end, std::vector<ReplyDelta> &out)
{
    const auto calls = read(held().substr(m_openLength, bodyEnd - m_openLength));
    m_state = State::Text;
    if (!calls) {
        m_scanned = 0;
        std::string raw = taken(end);
        emitWords(raw, raw, out);
        return;
    }
    enter(State::Text);
    std::string raw = taken(end);
    for (const ToolCall &call : *calls)
        out.push_back({ReplyPartKind::ToolCall, std::exchange(raw, {}), {}, call, true});
}

// ---- Handing on -------------------------------------------------------------------------------

/// The first bytes that are held, which are held no more.
std::string ReplyParser::taken(std::size_t length)
{
    std::string bytes(held().substr(0, length));
    m_done += length;
    m_scanned -= std::min(m_scanned, length);
    return bytes;
}

void ReplyParser::show(std::size_t length, std::vector<ReplyDelta> &out)
{
    if (length == 0)
        return;
    std::string words;
    for (std::size_t i = 0; i < length; ++i)
        if (m_kinds[m_done + i] != static_cast<char>(Piece::Hidden))
            words += held()[i];
    emitWords(std::move(words), taken(length), out);
}

void ReplyParser::hide(std::size_t length, std::vector<ReplyDelta> &out)
{
    out.push_back({ReplyPartKind::Text, taken(length), {}, {}});
}

/// White space is shown between words only, not at the ends of a part.
void ReplyParser::emitWords(std::string words, std::string raw, std::vector<ReplyDelta> &out)
{
    const ReplyPartKind kind =
        m_state == State::Reasoning ? ReplyPartKind::Reasoning : ReplyPartKind::Text;
    const std::size_t last = words.find_last_not_of(kSpaces);
    if (last == std::string::npos) {
        if (!m_begins)
            m_space += words;
        out.push_back({ReplyPartKind::Text, std::move(raw), {}, {}});
        return;
    }
    std::string space = words.substr(last + 1);
    words.resize(last + 1);
    if (m_begins)
        words.erase(0, words.find_first_not_of(kSpaces));
    else
        words.insert(0, m_space);
    m_space = std::move(space);
    m_anyText = m_anyText || kind == ReplyPartKind::Text;
    out.push_back({kind, std::move(raw), std::move(words), {}, std::exchange(m_begins, false)});
}

} // namespace fireside
