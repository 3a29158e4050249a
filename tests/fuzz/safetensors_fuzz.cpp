#include "engine/core/error.h"
#include "engine/files/safetensors.h"
#include "tests/fuzz/memory_file.h"

// Any bytes: an Error or a file whose tensors can be read to the end.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    static fireside::test::MemoryFile file;
    file.write({data, size});
    try {
        const fireside::Safetensors opened = fireside::Safetensors::open(file.path());
        volatile unsigned sum = 0;
        for (const fireside::SafetensorsTensor &tensor : opened.tensors()) {
            for (const std::byte byte : tensor.bytes)
                sum = sum + static_cast<unsigned>(byte);
            if (opened.findTensor(tensor.name) != &tensor)
                __builtin_trap();
        }
    } catch (const fireside::Error &) {
    }
    return 0;
}
