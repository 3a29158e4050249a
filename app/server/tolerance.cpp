#include "app/server/tolerance.h"

#include <algorithm>
#include <utility>

namespace fireside::server {
namespace {

constexpr std::size_t kMaxPlaces = 64, kMaxPlaceBytes = 80, kMaxHeaderBytes = 1024;

thread_local RequestNotes *t_notes = nullptr;

/// Printable ASCII without commas; indices are left out, as a member of each message is one place.
std::string placeName(const std::string &place)
{
    std::string name;
    bool inIndex = false;
    for (const char c : place) {
        if (name.size() >= kMaxPlaceBytes)
            break;
        if (inIndex && c >= '0' && c <= '9')
            continue;
        inIndex = c == '[';
        const bool plain = c > ' ' && c < 0x7f && c != ',';
        name += plain ? c : '?';
    }
    return name;
}

} // namespace

RequestNotes::RequestNotes(bool strict)
    : m_strict(strict)
    , m_outer(std::exchange(t_notes, this))
{}

RequestNotes::~RequestNotes()
{
    t_notes = m_outer;
}

RequestNotes *RequestNotes::current()
{
    return t_notes;
}

void RequestNotes::add(const std::string &place)
{
    ++m_count;
    if (m_places.size() >= kMaxPlaces)
        return;
    const std::string name = placeName(place);
    if (m_known.insert(name).second)
        m_places.push_back(name);
}

std::string RequestNotes::header() const
{
    std::string text;
    for (const std::string &place : m_places) {
        if (text.size() + place.size() + 2 > kMaxHeaderBytes)
            return text + ", ...";
        text += (text.empty() ? "" : ", ") + place;
    }
    return text;
}

bool readsStrictly()
{
    return t_notes == nullptr || t_notes->strict();
}

void noteIgnored(const std::string &place)
{
    if (t_notes != nullptr)
        t_notes->add(place);
}

} // namespace fireside::server
