#include "engine/core/error.h"
#include "engine/files/gguf.h"
#include "tests/fuzz/memory_file.h"

// Any bytes: an Error or a file whose tables can be read to the end.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    static fireside::test::MemoryFile file;
    file.write({data, size});
    try {
        const fireside::Gguf gguf = fireside::Gguf::open(file.path());
        volatile unsigned sum = 0;
        for (const fireside::GgufTensor &tensor : gguf.tensors()) {
            for (const std::byte byte : tensor.bytes)
                sum = sum + static_cast<unsigned>(byte);
            if (gguf.findTensor(tensor.name) != &tensor)
                __builtin_trap();
        }
        for (const auto &entry : gguf.metadata()) {
            const std::string_view key = entry.first;
            if (gguf.find(key) != &entry.second)
                __builtin_trap();
            // Each typed lookup gives a value or an Error.
            const auto attempt = [&](auto lookup) {
                try {
                    lookup();
                } catch (const fireside::Error &) {
                }
            };
            attempt([&] { gguf.findUnsigned(key); });
            attempt([&] { gguf.findFloat(key); });
            attempt([&] { gguf.findBool(key); });
            attempt([&] { gguf.findString(key); });
            attempt([&] { gguf.findArray(key); });
        }
    } catch (const fireside::Error &) {
    }
    return 0;
}
