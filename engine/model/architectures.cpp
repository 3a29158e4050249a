#include "engine/model/architectures.h"

#include "engine/core/error.h"
#include "engine/files/gguf.h"
#include "engine/model/llama.h"

#include <array>

namespace fireside {
namespace {

struct Architecture
{
    std::string_view name;
    std::unique_ptr<Network> (*make)(Config);
};

template <typename T>
std::unique_ptr<Network> make(Config config)
{
    return std::make_unique<T>(std::move(config));
}

constexpr std::array kArchitectures{
    Architecture{"llama", &make<LlamaNetwork>}, // Llama 1–3, Mistral, TinyLlama, SmolLM, …
};

const Architecture *findArchitecture(std::string_view name)
{
    for (const Architecture &a : kArchitectures)
        if (a.name == name)
            return &a;
    return nullptr;
}

} // namespace

bool supportsArchitecture(std::string_view name)
{
    return findArchitecture(name) != nullptr;
}

namespace {

std::string supportedArchitectures()
{
    std::string text;
    for (const Architecture &a : kArchitectures)
        text += (text.empty() ? "" : ", ") + std::string(a.name);
    return text;
}

} // namespace

std::unique_ptr<Network> makeNetwork(const Gguf &gguf)
{
    const std::string name(gguf.requireString("general.architecture"));
    const Architecture *a = findArchitecture(name);
    if (!a)
        throwUnsupported(gguf.path().string() + ": not supported: architecture '" + name +
                         "' (this version runs: " + supportedArchitectures() + ')');
    return a->make(readConfig(gguf));
}

} // namespace fireside
