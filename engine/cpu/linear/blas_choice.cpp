#include "engine/cpu/linear/blas_choice.h"

#include <cstdlib>

namespace fireside::cpu {
namespace {

// GFLOP/s of one thread's CPU time, F32 / F16 weights of 2048 columns, OpenBLAS 0.3.21 on a Zen 5;
// BF16 is like F16, 8192 columns within 15 %. In brackets: the library's kernels.
//
//   tokens                       16         32          64         256
//   baseline   own               8 / 7                  8 / 8      9 / 8
//              [Prescott]       35 / 21                44 / 37    47 / 44
//   AVX2       own              71 / 90    58 / 62     59 / 61    66 / 67
//              [Haswell]        81 / 71    97 / 89    103 / 101  124 / 125
//              [Zen]            80 / 71   100 / 92    109 / 103  123 / 121
//   AVX-512    own             132 / 147              182 / 190  213 / 220
//              [SkylakeX]       87 / 76               171 / 158  222 / 217
//              [Zen]            82 / 69               110 / 106  124 / 123
//
// AVX2 at 20 tokens: 55 / 60 against 84 / 79. Whole prompts of 110 M parameters on AVX-512, in
// chunks of 256: F32 and F16 5 % faster; 512 tokens of 8192 columns: 163 / 169 against 211 / 204.
// First matching row wins.
constexpr BlasRule kRules[] = {
    {Isa::Avx512Vnni, BlasKernels::Wide512, 256, "fewer tokens do not pay for its repacking"},
    {Isa::Avx512, BlasKernels::Wide512, 256, "fewer tokens do not pay for its repacking"},
    {Isa::AvxVnni, BlasKernels::Fma256, 20, "our own tiles are as fast below"},
    {Isa::Avx2, BlasKernels::Fma256, 20, "our own tiles are as fast below"},
    {Isa::Sse41, BlasKernels::Narrow, 9, "up to 8 weights are used while they are decoded"},
    {Isa::Baseline, BlasKernels::Narrow, 9, "up to 8 weights are used while they are decoded"},
};

} // namespace

const BlasRule *blasRule(Isa isa, BlasKernels kernels)
{
    for (const BlasRule &rule : kRules)
        if (rule.isa == isa && kernels >= rule.atLeast)
            return &rule;
    return nullptr;
}

const Blas *blasFor(FloatProducts asked, Isa isa, std::size_t tokens, std::size_t callers)
{
    if (asked == FloatProducts::Own)
        return nullptr;
    if (asked == FloatProducts::Measured) {
        // The widest kernels have the most rules: where those do not help, nothing needs opening.
        const BlasRule *best = blasRule(isa, BlasKernels::Wide512);
        if (!best || tokens < best->fromTokens)
            return nullptr;
    }
    const Blas &library = blas();
    if (!library.usable() || callers > library.maxCallers())
        return nullptr;
    if (asked == FloatProducts::Blas)
        return &library;
    const BlasRule *rule = blasRule(isa, library.kernels());
    return rule && tokens >= rule->fromTokens ? &library : nullptr;
}

FloatProductsChoice parseFloatProducts(std::string_view word)
{
    if (word.empty())
        return {};
    if (word == "off")
        return {FloatProducts::Own, ""};
    if (word == "on")
        return {FloatProducts::Blas, ""};
    return {FloatProducts::Measured,
            "FIRESIDE_BLAS=" + std::string(word) + " is neither on nor off"};
}

const FloatProductsChoice &floatProductsAsked()
{
    static const FloatProductsChoice choice = [] {
        const char *word = std::getenv("FIRESIDE_BLAS");
        return parseFloatProducts(word ? word : "");
    }();
    return choice;
}

std::string describeBlas(const Blas &library, const FloatProductsChoice &choice, Isa isa)
{
    std::string text = library.description();
    const BlasRule *rule = blasRule(isa, library.kernels());
    if (!library.usable())
        text += ": own kernels are used";
    else if (choice.asked == FloatProducts::Blas)
        text += ", used for F32, F16 and BF16 prompts (FIRESIDE_BLAS=on)";
    else if (rule)
        text += ", used for F32, F16 and BF16 prompts from " + std::to_string(rule->fromTokens) +
                " tokens at once";
    else
        text += ", not used: own " + std::string(isaName(isa)) + " kernels are faster";
    if (!choice.problem.empty())
        text += " (" + choice.problem + ")";
    return text;
}

} // namespace fireside::cpu
