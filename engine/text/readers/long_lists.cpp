#include "engine/text/readers/long_lists.h"

#include "engine/core/error.h"
#include "engine/text/readers/json_scanner.h"

#include <algorithm>
#include <functional>

namespace fireside {
namespace {

/// Entries up to `close`, with commas between them; none at all is unusual.
template <typename ReadEntry>
bool readEntries(JsonScanner &scanner, char close, const ReadEntry &readEntry)
{
    for (;;) {
        scanner.skipSpace();
        if (!readEntry())
            return false;
        scanner.skipSpace();
        if (scanner.take(close))
            return true;
        if (!scanner.take(','))
            return false;
    }
}

bool takeAmidSpace(JsonScanner &scanner, char c)
{
    scanner.skipSpace();
    const bool is = scanner.take(c);
    scanner.skipSpace();
    return is;
}

/// {"text": id, …}
bool readIds(JsonScanner &scanner, std::vector<LongLists::Id> &ids)
{
    return scanner.take('{') && readEntries(scanner, '}', [&] {
               LongLists::Id &entry = ids.emplace_back();
               return scanner.readString(entry.first) && takeAmidSpace(scanner, ':') &&
                      scanner.readCount(entry.second) && !entry.first.empty();
           });
}

/// [["text", score], …]
bool readScores(JsonScanner &scanner, std::vector<LongLists::Score> &scores)
{
    return scanner.take('[') && readEntries(scanner, ']', [&] {
               LongLists::Score &entry = scores.emplace_back();
               return takeAmidSpace(scanner, '[') && scanner.readString(entry.first) &&
                      takeAmidSpace(scanner, ',') && scanner.readNumber(entry.second) &&
                      takeAmidSpace(scanner, ']');
           });
}

/// ["left right", …] or [["left", "right"], …]
bool readMerges(JsonScanner &scanner, std::vector<LongLists::Pair> &merges)
{
    return scanner.take('[') && readEntries(scanner, ']', [&] {
               auto &[left, right] = merges.emplace_back();
               if (scanner.next() == '[')
                   return takeAmidSpace(scanner, '[') && scanner.readString(left) &&
                          takeAmidSpace(scanner, ',') && scanner.readString(right) &&
                          takeAmidSpace(scanner, ']');
               std::string_view both;
               if (!scanner.readString(both))
                   return false;
               const std::size_t space = both.find(' ');
               if (space == std::string_view::npos || both.find(' ', space + 1) != both.npos)
                   return false;
               left = both.substr(0, space);
               right = both.substr(space + 1);
               return true;
           });
}

/// Reads the list at `begin` and returns the place behind it; nullopt where it is unusual.
template <typename Entry, typename Read>
std::optional<std::size_t> readList(std::string_view text, std::size_t begin, LongList<Entry> &list,
                                    const Read &read)
{
    constexpr std::size_t kUsual = 1 << 18, kLeastText = 8;
    list.entries.reserve(std::min(kUsual, (text.size() - begin) / kLeastText));
    JsonScanner scanner(text, list.unescaped);
    scanner.seek(begin);
    return read(scanner, list.entries) ? std::optional(scanner.position()) : std::nullopt;
}

/// A list of merges and where it stands.
struct PlacedMerges
{
    std::size_t begin = 0, end = 0; // equal: nowhere
    LongList<LongLists::Pair> list;
};

/// Reads what looks like the merges, before it is known what stands before them.
PlacedMerges guessedMerges(std::string_view text)
{
    constexpr std::string_view kKey = "\"merges\"";
    const std::boyer_moore_horspool_searcher searcher(kKey.begin(), kKey.end());
    PlacedMerges found;
    JsonScanner scanner(text, found.list.unescaped);
    for (const auto *key = text.begin();
         (key = std::search(key, text.end(), searcher)) != text.end();) {
        key += kKey.size();
        scanner.seek(static_cast<std::size_t>(key - text.begin()));
        if (!takeAmidSpace(scanner, ':') || scanner.next() != '[')
            continue; // a token of this name
        found.begin = scanner.position();
        found.end = readList(text, found.begin, found.list, readMerges).value_or(found.begin);
        break;
    }
    return found;
}

/// Files end with the merges and the braces around them, mostly: the place behind the list, so.
std::optional<std::size_t> expectedEnd(std::string_view text)
{
    const std::size_t last = text.find_last_not_of("} \n\r\t");
    return last != std::string_view::npos && text[last] == ']' ? std::optional(last + 1)
                                                               : std::nullopt;
}

/// Goes through a text to model.vocab and model.merges.
class ListFinder
{
public:
    ListFinder(std::string_view text, std::string &rest)
        : m_text(text)
        , m_scanner(text, m_unescaped)
        , m_rest(rest)
    {
        constexpr std::size_t kLeastText = 1 << 12; // that is worth another thread
        if (text.size() >= kLeastText) // read when it is asked for where there can be none
            m_guess = std::async(std::launch::async | std::launch::deferred, guessedMerges, text);
    }

    bool run()
    {
        int depth = 0;
        bool inModel = false, wasModel = false;
        while (!m_scanner.atEnd()) {
            const char c = m_scanner.next();
            std::string_view key;
            if (c == '\0') // where the parser would end
                return false;
            if (c != '"') {
                depth += (c == '{' || c == '[') - (c == '}' || c == ']');
                m_scanner.take(c);
                continue;
            }
            if (!m_scanner.skipString(key))
                return false;
            if (!takeAmidSpace(m_scanner, ':') || depth > 2)
                continue;
            if (key.find('\\') != std::string_view::npos)
                return false;
            if (depth == 1)
                inModel = key == "model";
            if (depth == 1 && inModel && std::exchange(wasModel, true))
                return false;
            if (depth == 2 && inModel && !takeList(key))
                return false;
        }
        m_rest.append(m_text.substr(m_done));
        return lists.ids || lists.scores;
    }

    LongLists lists;

private:
    /// The list that begins here, where it is one of the long ones.
    bool takeList(std::string_view key)
    {
        const std::size_t begin = m_scanner.position();
        const char open = m_scanner.next();
        if (key == "vocab") {
            if (lists.ids || lists.scores)
                return false;
            if (open == '{' ? !readInto(lists.ids, readIds) : !readInto(lists.scores, readScores))
                return false;
        } else if (key == "merges") {
            if (open != '[' || lists.merges.valid() || !takeMerges(begin))
                return false;
        } else {
            return true;
        }
        m_rest.append(m_text.substr(m_done, begin - m_done)).append(open == '{' ? "{}" : "[]");
        m_done = m_scanner.position();
        return true;
    }

    template <typename Entry, typename Read>
    bool readInto(std::optional<LongList<Entry>> &list, const Read &read)
    {
        list.emplace();
        const auto end = readList(m_text, m_scanner.position(), *list, read);
        m_scanner.seek(end.value_or(0));
        return end.has_value();
    }

    /// Where it is known how far they go, nobody waits here until they are read.
    bool takeMerges(std::size_t begin)
    {
        const auto end = expectedEnd(m_text);
        if (m_guess.valid() && end && *end > begin) {
            m_scanner.seek(*end);
            lists.merges = std::async(std::launch::deferred,
                                      [begin, end = *end, guess = std::move(m_guess)]() mutable {
                                          PlacedMerges found = guess.get();
                                          if (found.begin != begin || found.end != end)
                                              throwBadInput("model.merges is unusual");
                                          return std::move(found.list);
                                      });
            return true;
        }
        std::optional<LongList<LongLists::Pair>> list;
        std::promise<LongList<LongLists::Pair>> promise;
        if (!readInto(list, readMerges))
            return false;
        promise.set_value(std::move(*list));
        lists.merges = promise.get_future();
        return true;
    }

    std::string_view m_text;
    std::deque<std::string> m_unescaped; // of keys that are not needed
    JsonScanner m_scanner;
    std::string &m_rest;
    std::future<PlacedMerges> m_guess;
    std::size_t m_done = 0; // of the text, what went to m_rest or to a list
};

} // namespace

std::optional<LongLists> takeLongLists(std::string_view text, std::string &rest)
{
    ListFinder finder(text, rest);
    if (!finder.run())
        return std::nullopt;
    return std::move(finder.lists);
}

} // namespace fireside
