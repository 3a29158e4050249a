#pragma once
#include "engine/model/network.h"

#include <memory>
#include <string>
#include <string_view>

namespace fireside {

class ModelFile;
struct Family;

/// The model's architecture under its GGUF name: general.architecture, or what the class that
/// config.json names ("Qwen3ForCausalLM") is there; a class we do not know stays as it is.
std::string architectureOf(const ModelFile &file);

/// Its row. Error(Unsupported) naming the architecture where there is none.
const Family &familyOf(const ModelFile &file);
/// The same, nullptr where there is none.
const Family *findFamily(const ModelFile &file);

/// Whether an architecture's name has a network here.
bool supportsArchitecture(std::string_view name);
/// "llama, qwen3, …"
std::string supportedArchitectures();

/// The network of the file's architecture with its checked numbers, without weights.
/// Error(Unsupported) naming the architecture otherwise, BadInput for bad numbers.
/// drafts: with the file's heads for drafting.
std::unique_ptr<Network> makeNetwork(const ModelFile &file, bool drafts = false);

} // namespace fireside
