#pragma once
#include "engine/model/network.h"

#include <memory>
#include <string>
#include <string_view>

namespace fireside {

class Gguf;

/// Whether a GGUF architecture name has a network here.
bool supportsArchitecture(std::string_view name);

/// The network of the file's architecture with its checked numbers, without weights.
/// Error(Unsupported) naming the architecture otherwise, BadInput for bad numbers.
std::unique_ptr<Network> makeNetwork(const Gguf &gguf);

} // namespace fireside
