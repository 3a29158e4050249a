#include "engine/backend/backend.h"
#include "engine/core/cpu_info.h"
#include "engine/core/error.h"
#include "engine/core/memory_info.h"
#include "engine/cpu/linear/blas_choice.h"
#include "engine/cpu/simd/kernels.h"

#include <algorithm>
#include <cstdlib>

// The report of the device that is always there.
namespace fireside {
namespace {

std::string countOf(int n, const char *noun)
{
    return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

std::string joined(const std::vector<std::string> &words)
{
    std::string text;
    for (const std::string &word : words)
        text += (text.empty() ? "" : " ") + word;
    return text.empty() ? "none" : text;
}

std::string coresOf(const CpuInfo &cpu)
{
    const std::string cores = std::to_string(cpu.cores);
    return cpu.fastCores < cpu.cores ? cores + ", " + std::to_string(cpu.fastCores) + " fast ones"
                                     : cores;
}

/// The instruction set in use and, where that is not the processor's best, why.
std::string instructionSet(const CpuInfo &cpu)
{
    std::string text = isaName(selectedIsa());
    const std::string best(isaName(cpu.isa));
    const bool chosen = std::getenv("FIRESIDE_ISA") != nullptr && isaOverrideProblem().empty();
    if (selectedIsa() != cpu.isa && chosen)
        text += " (chosen with FIRESIDE_ISA; the processor has " + best + ")";
    else if (selectedIsa() != cpu.isa)
        text += " (the processor has " + best + ", which FIRESIDE_ISA can choose)";
    if (!isaOverrideProblem().empty())
        text += " (" + isaOverrideProblem() + ")";
    return text;
}

std::string sizeOrUnknown(std::optional<std::uint64_t> bytes)
{
    return bytes ? formatBytes(*bytes) : "unknown";
}

} // namespace

DeviceReport probeCpu()
{
    const CpuInfo &processor = cpuInfo();
    const MemoryInfo memory = queryMemory();
    const std::string what =
        processor.name + ", " + countOf(processor.cores, "core") + ", " + isaName(selectedIsa());

    DeviceReport report;
    report.kind = BackendKind::Cpu;
    report.id = "cpu";
    report.name = processor.name;
    report.available = true;
    report.unifiedMemory = true;
    report.memoryTotal = memory.total;
    report.memoryFree = memory.available;
    if (memory.addressSpace)
        report.memoryFree =
            std::min(*memory.addressSpace, memory.available.value_or(*memory.addressSpace));
    report.reason = "Always works: " + what + ", " +
                    (memory.total ? formatBytes(*memory.total) + " RAM" : "RAM size unknown");

    DeviceCheck check;
    check.name = "Processor";
    check.outcome = DeviceCheck::Outcome::Passed;
    check.detail = what;
    report.checks.push_back(std::move(check));

    report.properties = {
        {"Processor", processor.name},
        {"Cores", coresOf(processor)},
        {"Threads", std::to_string(processor.threads)},
        {"Instruction set", instructionSet(processor)},
        {"Processor features", joined(processor.flags)},
        {"OpenBLAS", cpu::describeBlas(cpu::blas(), cpu::floatProductsAsked(), selectedIsa())},
        {"RAM", sizeOrUnknown(memory.total)},
        {"RAM free", sizeOrUnknown(memory.available)},
    };
    if (memory.addressSpace)
        report.properties.emplace_back("Address space left", formatBytes(*memory.addressSpace));
    return report;
}

} // namespace fireside
