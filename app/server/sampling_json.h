#pragma once
#include "app/server/chat_request.h"

// What the interfaces say alike about how a reply is drawn and where it ends.
namespace fireside::server {

constexpr std::int64_t kMostTokens = 10'000'000;

/// temperature, top_p, top_k, min_p, seed, frequency_penalty, presence_penalty, logit_bias, and by
/// the names of llama.cpp's server and vLLM every other sampler; the rest as the server was
/// started.
GenerateRequest samplingOf(Parameters &parameters, const ServedModel &served);
/// The number of tokens, by the first of these names that is given; -1: no limit.
void readMaxTokens(Parameters &parameters, GenerateRequest &request,
                   std::initializer_list<const char *> names);
/// A string or a list of some, by the name that the interface has for it.
std::vector<std::string> stopsOf(Parameters &parameters, const char *name);

} // namespace fireside::server
