#include "app/server/error_answer.h"

#include "app/server/messages_reply.h"
#include "engine/generate/scheduler.h"

namespace fireside::server {

void answerError(const httplib::Request &request, httplib::Response &response, int status,
                 const std::string &text, const std::string &param, const std::string &code)
{
    response.status = status;
    if (status == 429)
        response.set_header("Retry-After", "1");
    if (status == 401)
        response.set_header("WWW-Authenticate", "Bearer");
    response.set_content(
        dumped((request.path.starts_with("/v1/messages") || request.path.starts_with("/messages"))
                   ? messagesError(status, text)
                   : errorBody(status, text, param, code)),
        "application/json");
}

int statusOf(const Error &error)
{
    if (dynamic_cast<const QueueFull *>(&error) != nullptr)
        return 429;
    switch (error.kind()) {
    case ErrorKind::BadInput:
    case ErrorKind::Unsupported:
    case ErrorKind::Memory:
        return 400;
    case ErrorKind::Io:
    case ErrorKind::Device:
    case ErrorKind::Cancelled:
        return 503;
    case ErrorKind::Internal:
        break;
    }
    return 500;
}

} // namespace fireside::server
