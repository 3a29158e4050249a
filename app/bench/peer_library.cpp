#include "app/bench/peer_library.h"

#include "engine/core/error.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <random>
#include <vector>

namespace fireside {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// The library's interface in C, as its header llama.h of 2025 and later has it: the first fields of
// what it passes by value, with more room behind them than any version has used.
struct ModelParams
{
    void *devices, *buffers;
    std::int32_t gpuLayers;
    std::uint8_t rest[1020];
};
struct ContextParams
{
    std::uint32_t context, batch, ubatch;
    std::uint8_t rest[1012];
};
struct TokenBatch
{
    std::int32_t count;
    void *tokens, *embeddings, *positions, *sequenceCounts, *sequences, *logits;
};
using Log = void (*)(int, const char *, void *);

[[noreturn]] void refuse(const fs::path &folder, const std::string &why)
{
    throw Error(ErrorKind::Unsupported, folder.string() + ": " + why);
}

void *openLibrary(const fs::path &file)
{
    if (void *handle = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL))
        return handle;
    const char *why = dlerror();
    refuse(file.parent_path(), why != nullptr ? why : "cannot be loaded");
}

/// "libllama.so", or with the number of a version before or behind the ending; empty for none.
fs::path findLibrary(const fs::path &folder, const std::string &stem)
{
    fs::path found;
    for (const fs::directory_entry &entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        const bool named = name.starts_with(stem + ".") && name.find(".so") != std::string::npos;
        if (named && (found.empty() || entry.path() < found))
            found = entry.path();
    }
    return found;
}

class Library
{
public:
    explicit Library(const fs::path &folder)
        : m_folder(fs::absolute(folder))
    {
        std::error_code error;
        if (!fs::is_directory(m_folder, error))
            throw Error(ErrorKind::Io, folder.string() + ": no such folder");
        const fs::path llama = findLibrary(m_folder, "libllama");
        const fs::path ggml = findLibrary(m_folder, "libggml");
        if (llama.empty() || ggml.empty())
            throw Error(ErrorKind::Io, folder.string() + ": holds no " +
                                           (llama.empty() ? "libllama.so" : "libggml.so"));
        if (const fs::path base = findLibrary(m_folder, "libggml-base"); !base.empty())
            openLibrary(base);
        m_ggml = openLibrary(ggml);
        m_llama = openLibrary(llama);
        get<void(Log, void *)>("llama_log_set")([](int, const char *, void *) {}, nullptr);
        if (void *load = dlsym(m_ggml, "ggml_backend_load_all_from_path"))
            reinterpret_cast<void (*)(const char *)>(load)(m_folder.c_str());
    }

    template <typename Function>
    Function *get(const char *name) const
    {
        if (void *symbol = dlsym(m_llama, name))
            return reinterpret_cast<Function *>(symbol);
        refuse(m_folder, std::string("has no function ") + name +
                             "; a library of llama.cpp of 2025 or later is needed");
    }
    const fs::path &folder() const { return m_folder; }

private:
    fs::path m_folder;
    void *m_ggml = nullptr, *m_llama = nullptr;
};

/// Of the libraries in this process: the processor's.
std::string processorLibrary()
{
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
        if (const auto at = line.find("/libggml-cpu"); at != std::string::npos)
            return line.substr(at + 1);
    return "";
}

/// A model of the library with one sequence.
class PeerModel
{
public:
    PeerModel(const Library &library, const PeerRequest &request)
        : m_decode(library.get<std::int32_t(void *, TokenBatch)>("llama_decode"))
        , m_batchOf(library.get<TokenBatch(std::int32_t *, std::int32_t)>("llama_batch_get_one"))
        , m_synchronize(library.get<void(void *)>("llama_synchronize"))
        , m_logits(library.get<float *(void *, std::int32_t)>("llama_get_logits_ith"))
        , m_clear(library.get<void(void *, bool)>("llama_memory_clear"))
    {
        library.get<void()>("llama_backend_init")();
        ModelParams modelParams = library.get<ModelParams()>("llama_model_default_params")();
        modelParams.gpuLayers = request.gpu ? 999 : 0;
        void *model = library.get<void *(const char *, ModelParams)>("llama_model_load_from_file")(
            request.model.c_str(), modelParams);
        if (model == nullptr)
            refuse(library.folder(), "cannot load " + request.model.string());
        ContextParams params = library.get<ContextParams()>("llama_context_default_params")();
        params.context =
            static_cast<std::uint32_t>(request.prompt + request.generate + request.depth + 64);
        params.batch = 2048;
        params.ubatch = 512;
        m_context =
            library.get<void *(void *, ContextParams)>("llama_init_from_model")(model, params);
        if (m_context == nullptr)
            refuse(library.folder(), "has no room for " + request.model.string());
        library.get<void(void *, std::int32_t, std::int32_t)>("llama_set_n_threads")(
            m_context, request.threads, request.threads);
        m_memory = library.get<void *(void *)>("llama_get_memory")(m_context);
        m_folder = library.folder();
    }

    /// Seconds for `count` random tokens at once.
    double append(int count)
    {
        std::vector<std::int32_t> ids(static_cast<std::size_t>(count));
        for (std::int32_t &id : ids)
            id = static_cast<std::int32_t>(m_random() % 256);
        const auto start = Clock::now();
        for (std::size_t at = 0; at < ids.size(); at += kBatch)
            decode(ids.data() + at, std::min(ids.size() - at, kBatch));
        return std::chrono::duration<double>(Clock::now() - start).count();
    }
    double generate(int count)
    {
        double seconds = 0;
        for (int i = 0; i < count; ++i)
            seconds += append(1);
        return seconds;
    }
    void clear() { m_clear(m_memory, true); }

private:
    static constexpr std::size_t kBatch = 2048;

    void decode(std::int32_t *ids, std::size_t count)
    {
        if (m_decode(m_context, m_batchOf(ids, static_cast<std::int32_t>(count))) != 0)
            refuse(m_folder, "a pass failed");
        m_synchronize(m_context);
        if (m_logits(m_context, -1) == nullptr)
            refuse(m_folder, "a pass gave no logits");
    }

    std::int32_t (*m_decode)(void *, TokenBatch);
    TokenBatch (*m_batchOf)(std::int32_t *, std::int32_t);
    void (*m_synchronize)(void *);
    float *(*m_logits)(void *, std::int32_t);
    void (*m_clear)(void *, bool);
    void *m_context = nullptr, *m_memory = nullptr;
    fs::path m_folder;
    std::mt19937_64 m_random{1};
};

} // namespace

PeerRates measurePeer(const PeerRequest &request)
{
    const Library library(request.folder);
    PeerModel model(library, request);
    model.append(std::max(request.prompt, 8)); // a GPU's programs are made for each size
    model.generate(2);
    model.clear();
    PeerRates rates;
    model.append(request.depth);
    if (request.prompt > 0)
        rates.prompt = request.prompt / model.append(request.prompt);
    if (request.depth == 0) {
        model.clear();
        model.append(1);
    }
    if (request.generate > 0)
        rates.generate = request.generate / model.generate(request.generate);
    rates.processorLibrary = processorLibrary();
    return rates;
}

} // namespace fireside
