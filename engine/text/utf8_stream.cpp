#include "engine/text/utf8_stream.h"

#include "engine/text/unicode.h"

namespace fireside {

std::string Utf8Stream::push(std::string_view bytes)
{
    std::string joined = std::move(m_pending);
    m_pending.clear();
    joined.append(bytes);

    std::string out;
    out.reserve(joined.size());
    const std::string_view text = joined;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = validUtf8End(text, at);
        out.append(text.substr(at, end - at));
        at = end;
        if (at == text.size())
            break;
        const Utf8Step step = decodeUtf8(text, at);
        if (step.state == Utf8State::Incomplete) {
            m_pending.assign(text.substr(at));
            break;
        }
        out.append(kReplacementCharacter);
        at += step.length;
    }
    return out;
}

std::string Utf8Stream::finish()
{
    // What waits is the correct beginning of one character, hence one replacement.
    std::string out(m_pending.empty() ? std::string_view() : kReplacementCharacter);
    m_pending.clear();
    return out;
}

} // namespace fireside
