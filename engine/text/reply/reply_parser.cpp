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

/// The last word behind `key` in a header that is not empty.
std::string_view wordBehind(std::string_view header, std::string_view key)
{
    for (std::size_t at = header.rfind(key); at != std::string_view::npos;
         at = at == 0 ? std::string_view::npos : header.rfind(key, at - 1)) {
        std::string_view rest = header.substr(at + key.size());
        skipSpace(rest);
        if (const auto word = rest.substr(0, rest.find_first_of(" \n\t<")); !word.empty())
            return word;
    }
    return {};
}

/// "analysis" also of "Analysis:".
std::string channelIn(std::string_view header)
{
    std::string name;
    for (const char c : wordBehind(header, "<|channel|>"))
        if (c >= 'A' && c <= 'Z')
            name += static_cast<char>(c + 32);
        else if (c >= 'a' && c <= 'z')
            name += c;
        else
            break;
    return name;
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
    m_inReasoning = {m_inText.back(), m_inText.front()};
    for (const std::string &frame : m_format.frames)
        m_inText.push_back(mark(frame, Event::Hide));
    for (const CallSyntax *syntax : m_format.calls) {
        if (!syntax->close.empty()) {
            m_ends.push_back(mark(syntax->close, Event::Close, syntax));
            m_inText.push_back(mark(syntax->close, Event::CallEnd, syntax));
        }
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
    case Event::CallEnd: // one too many
        return m_afterCall && trimmed(held().substr(0, at)).empty();
    case Event::Open:
        if (m_state == State::Reasoning) // once more than the prompt or the model has
            return m_begins && trimmed(held().substr(0, at)).empty();
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
    m_begins = m_lineStart = true;
    m_space.clear();
    m_scanned = 0;
}

bool ReplyParser::stepText(std::vector<ReplyDelta> &out)
{
    if (m_inFence && !hideFence(out))
        return false;
    const Found found = search(m_inText);
    Bare bare;
    if (const auto at = findBareCall(found.at, bare)) {
        show(*at, out);
        if (bare.is == Bare::Wait)
            return false;
        beginCall(&callSyntax("json"), bare.length);
        m_fenced = bare.fence;
        return true;
    }
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
    switch (mark.event) {
    case Event::Header:
        enter(State::Header);
        break;
    case Event::Call:
        beginCall(mark.syntax, mark.text.size());
        break;
    case Event::Open:
        if (isAllowed(mark, 0))
            hide(mark.text.size(), out);
        else
            show(mark.text.size(), out);
        break;
    default:
        enter(State::Text);
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
    if (const std::size_t start = header.rfind("<|start|>"); start != std::string_view::npos)
        header.remove_prefix(start); // what is before it belongs to no message
    std::string_view recipient = wordBehind(header, "to=");
    if (!recipient.empty() && recipient != "assistant" && recipient != "user") {
        take(recipient, "functions.");
        enter(State::Text);
        beginCall(nullptr, 0);
        m_recipient = recipient;
        return;
    }
    enter(channelIn(header) == "analysis" ? State::Reasoning : State::Text);
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
    for (const char c : words)
        if (c == '\n')
            m_lineStart = true;
        else if (kSpaces.find(c) == std::string_view::npos)
            m_lineStart = m_afterCall = false;
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
