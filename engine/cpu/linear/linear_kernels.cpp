#include "engine/cpu/linear/linear_kernels.h"

#include "engine/cpu/simd/kernels.h"

#include <algorithm>
#include <vector>

namespace fireside::cpu {

extern const LinearKernels kLinearBaseline;
#if defined(__x86_64__)
extern const LinearKernels kLinearSse41;
extern const LinearKernels kLinearAvx2;
extern const LinearKernels kLinearAvxVnni;
extern const LinearKernels kLinearAvx512;
extern const LinearKernels kLinearAvx512Vnni;
extern const LinearKernels kLinearAmx;
#elif defined(__aarch64__)
extern const LinearKernels kLinearNeon;
extern const LinearKernels kLinearNeonI8mm;
#endif

std::span<const LinearKernels *const> availableLinearKernels()
{
    static const std::vector<const LinearKernels *> list = [] {
        std::vector<const LinearKernels *> found;
        const std::vector<Isa> &isas = cpuInfo().isas;
        for (const LinearKernels *table : {
#if defined(__x86_64__)
                 &kLinearAmx, &kLinearAvx512Vnni, &kLinearAvx512, &kLinearAvxVnni, &kLinearAvx2,
                     &kLinearSse41,
#elif defined(__aarch64__)
                 &kLinearNeonI8mm, &kLinearNeon,
#endif
                     &kLinearBaseline
             })
            if (std::find(isas.begin(), isas.end(), table->isa) != isas.end())
                found.push_back(table);
        return found;
    }();
    return list;
}

const LinearKernels &linearKernels()
{
    for (const LinearKernels *table : availableLinearKernels())
        if (table->isa == selectedIsa())
            return *table;
    return kLinearBaseline;
}

} // namespace fireside::cpu
