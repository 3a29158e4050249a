#pragma once
#include "engine/model/quantize/recipe.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

namespace fireside {

struct QuantizeFileRequest
{
    std::filesystem::path source;   // GGUF, of several parts too, or a Hugging Face folder
    std::filesystem::path target;   // GGUF
    const Recipe *recipe = nullptr; // nullptr: weights as they are
    int threads = 0;                // 0: one for each core
    bool replace = false;           // a file that exists
    bool requantize = false; // weights that are quantised already; else those of a GGUF are an
                             // error, and those of a folder stay as they are
};

struct QuantizeFileResult
{
    std::uint64_t sourceBytes = 0, bytes = 0; // of the files
    std::uint64_t weights = 0;
};

/// tensor: the one that is worked on; fraction 0…1 of all numbers.
using QuantizeFileProgress = std::function<void(const std::string &tensor, double fraction)>;

/// Writes a model in other types, piece by piece with a few megabytes of memory. The file appears
/// when it is complete. Error: BadInput, Unsupported, Io, Cancelled.
QuantizeFileResult quantizeFile(const QuantizeFileRequest &request,
                                const QuantizeFileProgress &progress = {},
                                const std::stop_token &stop = {});

} // namespace fireside
