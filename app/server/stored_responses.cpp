// Responses that were stored: fetched and forgotten.
#include "app/server/error_answer.h"
#include "app/server/server.h"

namespace fireside::server {
namespace {

[[noreturn]] void throwNotKept()
{
    throw ApiError(404,
                   "there is no such response: only the latest are kept, until the server ends",
                   "response_id", "response_not_found");
}

} // namespace

void Server::keptResponse(const Request &request, Response &response)
{
    const auto kept = m_kept.find(request.matches[1], keyNameOf(request));
    if (!kept)
        throwNotKept();
    response.set_content(kept->text, kJson);
}

void Server::inputItems(const Request &request, Response &response)
{
    const auto kept = m_kept.find(request.matches[1], keyNameOf(request));
    if (!kept)
        throwNotKept();
    const json items = json::parse(kept->input, nullptr, false);
    json list{{"object", "list"}, {"data", items}, {"has_more", false}};
    list["first_id"] = items.empty() ? json() : items.front()["id"];
    list["last_id"] = items.empty() ? json() : items.back()["id"];
    response.set_content(dumped(list), kJson);
}

void Server::forgetResponse(const Request &request, Response &response)
{
    const std::string id = request.matches[1];
    if (!m_kept.forget(id, keyNameOf(request)))
        throwNotKept();
    response.set_content(dumped({{"id", id}, {"object", "response"}, {"deleted", true}}), kJson);
}

} // namespace fireside::server
