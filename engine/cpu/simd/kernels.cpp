#include "engine/cpu/simd/kernels.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdlib>
#include <vector>

namespace fireside {
namespace {

struct IsaName
{
    std::string_view word;
    Isa isa;
};
constexpr IsaName kIsaNames[] = {
    {"baseline", Isa::Baseline}, {"sse41", Isa::Sse41},   {"avx2", Isa::Avx2},
    {"avxvnni", Isa::AvxVnni},   {"avx512", Isa::Avx512}, {"avx512vnni", Isa::Avx512Vnni},
    {"amx", Isa::Amx},           {"neon", Isa::Neon},     {"neoni8mm", Isa::NeonI8mm},
};

struct IsaTable
{
    Isa isa;
    const VectorKernels &(*kernels)();
};
constexpr IsaTable kIsaTables[] = {
#if defined(__x86_64__)
    {Isa::Amx, amxVectorKernels},           {Isa::Avx512Vnni, avx512VnniVectorKernels},
    {Isa::Avx512, avx512VectorKernels},     {Isa::AvxVnni, avxVnniVectorKernels},
    {Isa::Avx2, avx2VectorKernels},         {Isa::Sse41, sse41VectorKernels},
#elif defined(__aarch64__)
    {Isa::NeonI8mm, neonI8mmVectorKernels},
    {Isa::Neon, neonVectorKernels},
#endif
    {Isa::Baseline, baselineVectorKernels},
};

const std::vector<const VectorKernels *> &tables()
{
    static const std::vector<const VectorKernels *> all = [] {
        std::vector<const VectorKernels *> list;
        const std::vector<Isa> &isas = cpuInfo().isas;
        for (const IsaTable &table : kIsaTables)
            if (std::find(isas.begin(), isas.end(), table.isa) != isas.end())
                list.push_back(&table.kernels());
        return list;
    }();
    return all;
}

const IsaChoice &startChoice()
{
    static const IsaChoice choice = [] {
        std::vector<Isa> available;
        for (const VectorKernels *table : tables())
            available.push_back(table->isa);
        const char *asked = std::getenv("FIRESIDE_ISA");
        return chooseIsa(asked ? asked : "", available);
    }();
    return choice;
}

const VectorKernels *tableOf(Isa isa)
{
    for (const VectorKernels *table : tables())
        if (table->isa == isa)
            return table;
    return &baselineVectorKernels();
}

std::atomic<const VectorKernels *> &current()
{
    static std::atomic<const VectorKernels *> table{tableOf(startChoice().isa)};
    return table;
}

} // namespace

std::optional<Isa> parseIsa(std::string_view word)
{
    std::string lower(word);
    for (char &c : lower)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    for (const IsaName &name : kIsaNames)
        if (name.word == lower)
            return name.isa;
    return std::nullopt;
}

std::string_view isaWord(Isa isa)
{
    for (const IsaName &name : kIsaNames)
        if (name.isa == isa)
            return name.word;
    return "";
}

IsaChoice chooseIsa(std::string_view asked, std::span<const Isa> available)
{
    // Long prompts are rounded otherwise in tile registers than the same tokens in shorter passes:
    // who wants their speed asks for it.
    const auto usual =
        std::find_if(available.begin(), available.end(), [](Isa isa) { return isa != Isa::Amx; });
    IsaChoice choice{usual == available.end() ? available.front() : *usual, ""};
    if (asked.empty())
        return choice;
    const std::optional<Isa> wanted = parseIsa(asked);
    if (wanted && std::find(available.begin(), available.end(), *wanted) != available.end())
        choice.isa = *wanted;
    else
        choice.problem = "FIRESIDE_ISA=" + std::string(asked) +
                         (wanted ? " is not supported by this processor" : " is not known") +
                         "; using " + isaName(choice.isa);
    return choice;
}

std::span<const VectorKernels *const> availableVectorKernels()
{
    return tables();
}

const VectorKernels &vectorKernels()
{
    return *current().load(std::memory_order_relaxed);
}

Isa selectedIsa()
{
    return vectorKernels().isa;
}

const std::string &isaOverrideProblem()
{
    return startChoice().problem;
}

void selectIsa(Isa isa)
{
    current().store(tableOf(isa), std::memory_order_relaxed);
}

} // namespace fireside
