#pragma once
#include "engine/core/error.h"

#include <httplib.h>

#include <string>

namespace fireside::server {

inline constexpr char kJson[] = "application/json";

/// In the shape of the interface that the path belongs to.
void answerError(const httplib::Request &request, httplib::Response &response, int status,
                 const std::string &text, const std::string &param = {},
                 const std::string &code = {});
/// The status that tells what kind of error it is.
int statusOf(const Error &error);

} // namespace fireside::server
