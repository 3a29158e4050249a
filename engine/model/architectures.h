#pragma once
#include "engine/model/network.h"

#include <memory>
#include <string>
#include <string_view>

namespace fireside {

/// Whether a GGUF architecture name has a network here.
bool supportsArchitecture(std::string_view name);
std::string supportedArchitectures(); // "llama"

/// The network of config.architecture, without weights. Error(Unsupported) naming it otherwise.
std::unique_ptr<Network> makeNetwork(Config config);

} // namespace fireside
