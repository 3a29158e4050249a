// Stands in for llama.cpp's library in tests of `bench --compare`: its functions, no model.
// FAKE_LLAMA=refuse: no model loads; crash: a pass ends the process.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>

namespace {

struct ModelParams
{
    void *devices, *buffers;
    std::int32_t gpuLayers;
    std::uint8_t rest[52];
};
struct ContextParams
{
    std::uint32_t context, batch, ubatch;
    std::uint8_t rest[108];
};
struct TokenBatch
{
    std::int32_t count;
    void *tokens, *embeddings, *positions, *sequenceCounts, *sequences, *logits;
};

bool is(const char *mode)
{
    const char *asked = std::getenv("FAKE_LLAMA");
    return asked != nullptr && std::strcmp(asked, mode) == 0;
}

int g_threads = 0;
std::uint32_t g_context = 0;
std::int32_t g_tokens = 0; // in the cache
float g_logit = 0;

} // namespace

extern "C" {

void llama_log_set(void (*)(int, const char *, void *), void *) {}
void llama_backend_init() {}
ModelParams llama_model_default_params()
{
    return {nullptr, nullptr, -1, {}};
}
ContextParams llama_context_default_params()
{
    return {512, 1, 1, {}};
}
void *llama_model_load_from_file(const char *path, ModelParams params)
{
    const bool wrong = params.gpuLayers != 0 || params.devices != nullptr;
    return is("refuse") || wrong || !std::ifstream(path) ? nullptr : &g_tokens;
}
void *llama_init_from_model(void *model, ContextParams params)
{
    g_context = params.context;
    return params.batch >= 512 ? model : nullptr;
}
void llama_set_n_threads(void *, std::int32_t threads, std::int32_t threadsOfBatch)
{
    g_threads = threads == threadsOfBatch ? threads : 0;
}
void *llama_get_memory(void *context)
{
    return context;
}
void llama_memory_clear(void *, bool)
{
    g_tokens = 0;
}
TokenBatch llama_batch_get_one(std::int32_t *ids, std::int32_t count)
{
    return {count, ids, nullptr, nullptr, nullptr, nullptr, nullptr};
}
std::int32_t llama_decode(void *, TokenBatch batch)
{
    if (is("crash"))
        std::abort();
    g_tokens += batch.count;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return g_threads != 2 || g_tokens > static_cast<std::int32_t>(g_context) ? 1 : 0;
}
void llama_synchronize(void *) {}
float *llama_get_logits_ith(void *, std::int32_t)
{
    return &g_logit;
}

} // extern "C"
