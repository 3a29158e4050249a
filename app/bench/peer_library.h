#pragma once
#include <filesystem>
#include <string>

namespace fireside {

/// What a program built on llama.cpp would do with the same file: its own library is loaded into
/// this process, which should do nothing else and end soon, since the library's threads and memory
/// stay.
struct PeerRequest
{
    std::filesystem::path folder; // with libllama.so, libggml*.so and what these need
    std::filesystem::path model;
    int prompt = 512, generate = 64, depth = 0; // tokens, as in BenchSettings
    int threads = 1;
    bool gpu = false; // all layers on the first device the library finds, else on the CPU
};

struct PeerRates
{
    double prompt = 0, generate = 0; // tokens per second; 0 for none
    std::string processorLibrary; // of the variants that the folder holds: "libggml-cpu-haswell.so"
};

/// Once, after a short warm-up. Error: Io for files that are not there, Unsupported for a library
/// that lacks functions or refuses the model.
PeerRates measurePeer(const PeerRequest &request);

} // namespace fireside
