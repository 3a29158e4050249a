#include "engine/model/architectures.h"

#include "engine/core/error.h"
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

std::string supportedArchitectures()
{
    std::string text;
    for (const Architecture &a : kArchitectures)
        text += (text.empty() ? "" : ", ") + std::string(a.name);
    return text;
}

std::unique_ptr<Network> makeNetwork(Config config)
{
    const Architecture *a = findArchitecture(config.architecture);
    if (!a)
        throwUnsupported("not supported: architecture '" + config.architecture +
                         "' (this version runs: " + supportedArchitectures() + ')');
    return a->make(std::move(config));
}

} // namespace fireside
