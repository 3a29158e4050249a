#include "engine/cpu/linear/linear_kernels.h"

#include "engine/cpu/simd/kernels.h"

#include <vector>

namespace fireside::cpu {

extern const LinearKernels kLinearBaseline;
#if defined(__x86_64__)
extern const LinearKernels kLinearAvx2;
extern const LinearKernels kLinearAvx512;
extern const LinearKernels kLinearAvx512Vnni;
#endif

std::span<const LinearKernels *const> availableLinearKernels()
{
    static const std::vector<const LinearKernels *> list = [] {
        std::vector<const LinearKernels *> found;
#if defined(__x86_64__)
        for (const LinearKernels *table : {&kLinearAvx512Vnni, &kLinearAvx512, &kLinearAvx2})
            if (table->isa <= cpuInfo().isa)
                found.push_back(table);
#endif
        found.push_back(&kLinearBaseline);
        return found;
    }();
    return list;
}

const LinearKernels &linearKernels()
{
    for (const LinearKernels *table : availableLinearKernels())
        if (table->isa <= selectedIsa())
            return *table;
    return kLinearBaseline;
}

} // namespace fireside::cpu
