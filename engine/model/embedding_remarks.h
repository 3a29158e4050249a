#pragma once
#include "engine/model/config.h"

#include <optional>
#include <string>

namespace fireside {

class ModelFile;

/// That no file names the pooling of the model's vectors; nullopt: one does.
std::optional<std::string> poolingRemark(const Config &config);

/// Whether the model is made for vectors, by its form, its files or its name.
bool isForVectors(const ModelFile &file, const Config &config, const std::string &name);

} // namespace fireside
