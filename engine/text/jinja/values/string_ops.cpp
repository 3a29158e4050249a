#include "engine/text/jinja/values/string_ops.h"

#include "engine/text/jinja/values/printing.h"

#include <algorithm>
#include <utility>

namespace fireside::jinja {

namespace {

/// Builds a string character by character: fn(character) gives what stands for it.
template <typename Fn>
Value mapCharacters(Runtime &rt, const StringObject &s, const Fn &fn)
{
    rt.budget.scan(s.text().size() * 8); // each character is decoded and looked up
    MarkedBuilder out;
    const std::string_view text = s.text();
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t next = nextCharacter(text, at);
        out.appendDerived(fn(text.substr(at, next - at)), s.marked, at, next);
        at = next;
    }
    return rt.stringLike(s, out.take());
}

bool isSpaceCharacter(std::string_view character)
{
    return isSpace(decodeCharacter(character));
}

void appendChecked(Runtime &rt, MarkedBuilder &out, const MarkedText &text)
{
    rt.budget.scan(text.text.size());
    rt.budget.checkText(out.size() + text.text.size());
    rt.budget.checkText((out.ranges() + text.untrusted.size()) * sizeof(MarkedText::Range));
    out.append(text);
}

} // namespace

Value stripText(Runtime &rt, const StringObject &s, const StringObject *chars, bool left,
                bool right)
{
    const std::string_view text = s.text();
    rt.budget.scan(text.size());
    if (!chars) {
        const auto range = stripSpace(text, left, right);
        return rt.substring(s, range.begin, range.end);
    }
    const auto isStripped = [&](std::size_t begin, std::size_t end) {
        rt.budget.scan(chars->text().size());
        return findText(chars->text(), text.substr(begin, end - begin)) != std::string::npos;
    };
    std::size_t begin = 0, end = text.size();
    while (left && begin < end && isStripped(begin, nextCharacter(text, begin)))
        begin = nextCharacter(text, begin);
    while (right && end > begin && isStripped(previousCharacter(text, end), end))
        end = previousCharacter(text, end);
    return rt.substring(s, begin, std::max(begin, end));
}

Value replaceText(Runtime &rt, const StringObject &s, const StringObject &from,
                  const StringObject &to, std::int64_t count)
{
    const std::string_view text = s.text();
    rt.budget.scan(text.size());
    MarkedBuilder out;
    std::size_t done = 0; // text before this is in `out`
    for (std::size_t search = 0; count != 0 && search <= text.size();) {
        const std::size_t found =
            from.text().empty() ? search : findText(text, from.text(), search);
        if (found == std::string_view::npos)
            break;
        out.append(s.marked, done, found);
        appendChecked(rt, out, to.marked);
        done = found + from.text().size();
        // An empty pattern matches before every character and at the end.
        search = from.text().empty()
                     ? (found < text.size() ? nextCharacter(text, found) : text.size() + 1)
                     : done;
        --count;
    }
    out.append(s.marked, std::min(done, text.size()), text.size());
    return rt.stringLike(s, out.take());
}

namespace {

std::vector<Value> splitSpace(Runtime &rt, const StringObject &s, std::int64_t maxSplit,
                              bool fromRight)
{
    std::vector<Value> parts;
    const std::string_view text = s.text();
    auto [begin, end] = stripSpace(text, true, true);
    while (begin < end) {
        if (maxSplit >= 0 && static_cast<std::int64_t>(parts.size()) == maxSplit) {
            // The rest keeps its white space at the far end.
            parts.push_back(fromRight ? rt.substring(s, 0, end)
                                      : rt.substring(s, begin, text.size()));
            break;
        }
        if (fromRight) {
            std::size_t from = end;
            while (from > begin) {
                const std::size_t previous = previousCharacter(text, from);
                if (isSpaceCharacter(text.substr(previous, from - previous)))
                    break;
                from = previous;
            }
            parts.push_back(rt.substring(s, from, end));
            end = from > begin
                      ? begin + stripSpace(text.substr(begin, from - begin), false, true).end
                      : begin;
        } else {
            std::size_t to = begin;
            while (to < end) {
                const std::size_t next = nextCharacter(text, to);
                if (isSpaceCharacter(text.substr(to, next - to)))
                    break;
                to = next;
            }
            parts.push_back(rt.substring(s, begin, to));
            begin = to + stripSpace(text.substr(to, end - to), true, false).begin;
        }
    }
    if (fromRight)
        std::reverse(parts.begin(), parts.end());
    return parts;
}

} // namespace

std::vector<Value> splitText(Runtime &rt, const StringObject &s, const StringObject *separator,
                             std::int64_t maxSplit, bool fromRight)
{
    rt.budget.scan(s.text().size());
    if (!separator)
        return splitSpace(rt, s, maxSplit, fromRight);
    const std::string &text = s.text(), &mark = separator->text();
    if (mark.empty())
        throw TemplateError("empty separator");
    std::vector<std::size_t> cuts;
    if (fromRight && maxSplit >= 0) {
        // Matches counted from the right end: they need not be the ones found from the left.
        for (std::size_t end = text.size();
             end >= mark.size() && static_cast<std::int64_t>(cuts.size()) < maxSplit;) {
            const std::size_t found = text.rfind(mark, end - mark.size());
            rt.budget.scan((end - (found == std::string::npos ? 0 : found)) * mark.size());
            if (found == std::string::npos)
                break;
            cuts.push_back(found);
            end = found;
        }
        std::reverse(cuts.begin(), cuts.end());
    } else {
        for (std::size_t from = 0;
             maxSplit < 0 || static_cast<std::int64_t>(cuts.size()) < maxSplit;) {
            const std::size_t found = findText(text, mark, from);
            rt.budget.scan(mark.size());
            if (found == std::string::npos)
                break;
            cuts.push_back(found);
            from = found + mark.size();
        }
    }
    std::vector<Value> parts;
    std::size_t begin = 0;
    for (const std::size_t cut : cuts) {
        parts.push_back(rt.substring(s, begin, cut));
        begin = cut + mark.size();
    }
    parts.push_back(rt.substring(s, begin, text.size()));
    return parts;
}

std::vector<Value> splitLines(Runtime &rt, const StringObject &s, bool keepEnds)
{
    const std::string &text = s.text();
    rt.budget.scan(text.size());
    std::vector<Value> lines;
    std::size_t begin = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t next = nextCharacter(text, at);
        const std::int32_t c = decodeCharacter(std::string_view(text).substr(at, next - at));
        const bool isBreak = (c >= 10 && c <= 13) || (c >= 0x1C && c <= 0x1E) || c == 0x85 ||
                             c == 0x2028 || c == 0x2029;
        if (!isBreak) {
            at = next;
            continue;
        }
        const std::size_t after =
            c == '\r' && next < text.size() && text[next] == '\n' ? next + 1 : next;
        lines.push_back(rt.substring(s, begin, keepEnds ? after : at));
        begin = at = after;
    }
    if (begin < text.size())
        lines.push_back(rt.substring(s, begin, text.size()));
    return lines;
}

Value upperText(Runtime &rt, const StringObject &s)
{
    return mapCharacters(rt, s, [](std::string_view c) { return upperCharacter(c); });
}

Value lowerText(Runtime &rt, const StringObject &s)
{
    return mapCharacters(rt, s, [](std::string_view c) { return lowerCharacter(c); });
}

Value capitalizeText(Runtime &rt, const StringObject &s)
{
    bool first = true;
    return mapCharacters(rt, s, [&](std::string_view c) {
        return std::exchange(first, false) ? upperCharacter(c) : lowerCharacter(c);
    });
}

Value titleText(Runtime &rt, const StringObject &s, bool (*endsWord)(std::string_view))
{
    bool starts = true;
    return mapCharacters(rt, s, [&](std::string_view c) {
        return std::exchange(starts, endsWord(c)) ? upperCharacter(c) : lowerCharacter(c);
    });
}

Value swapCaseText(Runtime &rt, const StringObject &s)
{
    return mapCharacters(rt, s, [](std::string_view c) {
        return isUpper(decodeCharacter(c)) ? lowerCharacter(c) : upperCharacter(c);
    });
}

Value joinTexts(Runtime &rt, const StringObject &separator, const std::vector<Value> &items)
{
    MarkedBuilder out;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i > 0)
            appendChecked(rt, out, separator.marked);
        appendChecked(rt, out, toText(rt, items[i]).asString().marked);
    }
    return rt.stringLike(separator, out.take());
}

Value escapeText(Runtime &rt, const Value &text)
{
    const StringObject &s = text.asString();
    if (s.isMarkup)
        return text;
    rt.budget.scan(s.text().size());
    MarkedBuilder out;
    for (std::size_t at = 0; at < s.text().size(); ++at) {
        static constexpr std::string_view From = "&<>'\"";
        static constexpr std::string_view To[] = {"&amp;", "&lt;", "&gt;", "&#39;", "&#34;"};
        const std::size_t known = From.find(s.text()[at]);
        if (known == std::string_view::npos)
            out.append(s.marked, at, at + 1);
        else
            out.appendDerived(To[known], s.marked, at, at + 1);
    }
    return rt.heap.string(out.take(), true);
}

Value reverseText(Runtime &rt, const StringObject &s)
{
    rt.budget.scan(s.text().size() * 8);
    MarkedBuilder out;
    for (std::size_t end = s.text().size(); end > 0;) {
        const std::size_t begin = previousCharacter(s.text(), end);
        out.append(s.marked, begin, end);
        end = begin;
    }
    return rt.stringLike(s, out.take());
}

bool isCased(Runtime &rt, std::string_view text, bool (*wanted)(std::int32_t),
             bool (*other)(std::int32_t))
{
    rt.budget.scan(text.size() * 8);
    bool found = false;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t next = nextCharacter(text, at);
        const std::int32_t c = decodeCharacter(text.substr(at, next - at));
        if (other(c))
            return false;
        found = found || wanted(c);
        at = next;
    }
    return found;
}

Value padText(Runtime &rt, const StringObject &s, std::int64_t width, Align align,
              std::string_view fill)
{
    const auto length = static_cast<std::int64_t>(s.characters);
    const std::int64_t missing = width > length ? width - length : 0;
    rt.budget.checkRepeat(fill.size(), missing);
    std::int64_t before = missing / 2;
    if (align == Align::Center)
        before += missing & width & 1;
    else if (align != Align::FormatCenter)
        before = align == Align::Right ? missing : 0;
    MarkedBuilder out;
    for (std::int64_t i = 0; i < before; ++i)
        out.append(fill);
    out.append(s.marked);
    for (std::int64_t i = before; i < missing; ++i)
        out.append(fill);
    return rt.stringLike(s, out.take());
}

} // namespace fireside::jinja
