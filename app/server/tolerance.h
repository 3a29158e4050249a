#pragma once
#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace fireside::server {

/// What was left out of one request. Readers of the request report to the one of their thread;
/// where there is none, or it is strict, they refuse instead.
class RequestNotes
{
public:
    explicit RequestNotes(bool strict);
    ~RequestNotes();
    RequestNotes(const RequestNotes &) = delete;
    RequestNotes &operator=(const RequestNotes &) = delete;

    static RequestNotes *current(); // nullptr: none
    void add(const std::string &place);
    bool strict() const { return m_strict; }
    std::size_t count() const { return m_count; }
    const std::vector<std::string> &places() const { return m_places; } // each once
    /// The places for a response header: printable ASCII of bounded length.
    std::string header() const;

private:
    const bool m_strict;
    RequestNotes *const m_outer;
    std::size_t m_count = 0;
    std::set<std::string> m_known;
    std::vector<std::string> m_places;
};

/// Whether the request that this thread reads is refused for what is not known in it.
bool readsStrictly();
/// Reports a part of the request that has no effect: "store", "tools[3].output_schema".
void noteIgnored(const std::string &place);

} // namespace fireside::server
