#include "tests/conformance/target.h"

#include "engine/core/error.h"
#include "engine/tensor/blocks.h"
#include "tests/support/weight_reference.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>
#include <sstream>

namespace fireside::conformance {
namespace {

std::string environment(const char *name)
{
    const char *const value = std::getenv(name);
    return value != nullptr ? value : "";
}

std::vector<std::string> split(const std::string &list)
{
    std::vector<std::string> words;
    std::istringstream stream(list);
    for (std::string word; std::getline(stream, word, ',');)
        if (!word.empty())
            words.push_back(word);
    return words;
}

std::size_t number(const char *name)
{
    const std::string text = environment(name);
    return text.empty() ? 0 : static_cast<std::size_t>(std::stoull(text));
}

VulkanOptions vulkanOptions()
{
    VulkanOptions options;
    options.without = split(environment("FIRESIDE_CONFORMANCE_WITHOUT"));
    options.stagedUploads = !environment("FIRESIDE_CONFORMANCE_STAGED").empty();
    options.largestAllocation = number("FIRESIDE_CONFORMANCE_LARGEST_ALLOCATION");
    options.memoryLimit = number("FIRESIDE_CONFORMANCE_MEMORY_LIMIT");
    options.cacheFolder = environment("FIRESIDE_CONFORMANCE_PIPELINES");
    options.throughput = 1;
    return options;
}

struct Known
{
    DeviceReport report;
    std::unique_ptr<Target> target;
};

std::map<std::string, Known> &known()
{
    static std::map<std::string, Known> all = [] {
        std::map<std::string, Known> found;
        const DeviceReport cpu = probeCpu();
        found[cpu.id].report = cpu;
        const std::string wanted = environment("FIRESIDE_CONFORMANCE_DEVICES");
        if (wanted.empty() || wanted == "all" || wanted.find("vulkan") != std::string::npos)
            for (const DeviceReport &report : probeVulkan())
                if (report.available)
                    found[report.id].report = report;
        return found;
    }();
    return all;
}

} // namespace

Target::Target(const DeviceReport &report)
    : m_report(report)
    , m_device(report.kind == BackendKind::Cpu ? openCpu({}) : openVulkan(report, vulkanOptions()))
{
    m_report = m_device->report();
}

Commands &Target::commands()
{
    if (!m_commands)
        m_commands = m_device->commands(kScratch, kMaxRows);
    return *m_commands;
}

bool Target::hasWeight(DType type, std::int64_t rows, std::int64_t cols, std::int64_t depth,
                       int salt) const
{
    return m_weights.count({type, rows, cols, depth, salt}) > 0;
}

const TestWeight &Target::weight(DType type, std::int64_t rows, std::int64_t cols,
                                 std::int64_t depth, int salt)
{
    auto &entry = m_weights[{type, rows, cols, depth, salt}];
    if (entry)
        return *entry;
    auto made = std::make_unique<TestWeight>();
    std::mt19937 random(seed() + static_cast<std::uint32_t>(
                                     ((static_cast<int>(type) * 131 + rows) * 137 + cols) * 139 +
                                     depth * 149 + salt * 151));
    made->values.reserve(static_cast<std::size_t>(rows * cols * depth));
    for (std::int64_t r = 0; r < rows * depth; ++r) {
        auto row = test::randomRow(type, static_cast<std::size_t>(cols), random);
        if (rows == 1 && type == DType::F32) // near one, as the weights of norms are
            for (std::size_t at = 0; at < row.size(); at += sizeof(float)) {
                float value;
                std::memcpy(&value, &row[at], sizeof value);
                value = 1 + 0.2f * value;
                std::memcpy(&row[at], &value, sizeof value);
            }
        for (std::int64_t c = 0; c < cols; ++c)
            made->values.push_back(test::weightAt(type, row.data(), static_cast<std::size_t>(c)));
        made->bytes.insert(made->bytes.end(), row.begin(), row.end());
    }
    WeightSource source;
    source.name = std::string("test.") + name(type) + "." + std::to_string(rows) + "x" +
                  std::to_string(cols) + "x" + std::to_string(depth);
    source.dtype = type;
    source.rows = rows;
    source.cols = cols;
    source.depth = depth;
    source.bytes = made->bytes;
    made->weight = m_device->addWeight(source);
    m_device->finishWeights();
    entry = std::move(made);
    return *entry;
}

bool Target::uses(const std::string &variant) const
{
    const auto without = vulkanOptions().without;
    if (std::find(without.begin(), without.end(), variant) != without.end())
        return false;
    return std::any_of(m_report.properties.begin(), m_report.properties.end(), [&](const auto &p) {
        return p.first == "Variants" && p.second.find(variant) != std::string::npos;
    });
}

bool Target::thorough() const
{
    return isCpu() || !m_report.software || !environment("FIRESIDE_CONFORMANCE_THOROUGH").empty();
}

int Target::rounds()
{
    return std::max(1, static_cast<int>(number("FIRESIDE_CONFORMANCE_ROUNDS")));
}

double Target::tolerance(std::initializer_list<DType> activations) const
{
    const bool half =
        std::find(activations.begin(), activations.end(), DType::F16) != activations.end();
    return half ? 7e-4 : 1e-5; // three times what rounding to F16 comes to
}

double Target::productTolerance(DType weight, std::initializer_list<DType> activations,
                                std::int64_t rows) const
{
    const bool blocks = info(weight).blockElements > 1, codes = !isFloatType(weight);
    if (codes && isCpu()) { // activations are rounded to 8 bits
        // With weights of three values a few rows have one scale for 256 columns instead of 32,
        // whose largest number stands further above the others: with factors of a norm, up to
        // twice.
        const bool ternary = weight == DType::TQ1_0 || weight == DType::TQ2_0;
        const double rounded = ternary && rows <= 8 ? 2e-2 : 1e-2;
        if (factorsOf(weight).minimum.form == BlockFactor::Form::None)
            return rounded;
        // A row's rounding errors meet the same minima in all outputs: only rows average them.
        return rounded * (1 + 2 / std::sqrt(static_cast<double>(rows > 0 ? rows : 2)));
    }
    double allowed = tolerance(activations);
    if (codes && uses("integer dot"))
        allowed = std::max(allowed, 1e-4); // activations are taken as two bytes
    // F32 never goes to matrices, and single rows neither. Blocks have their activations rounded to
    // F16 there; those of F16 and BF16 come in two parts.
    if (uses("cooperative matrix") && rows != 1 && weight != DType::F32)
        allowed = std::max(allowed, blocks ? 2e-3 : 1e-4);
    return allowed;
}

const std::vector<std::string> &targetIds()
{
    static const std::vector<std::string> ids = [] {
        const std::string wanted = environment("FIRESIDE_CONFORMANCE_DEVICES");
        if (!wanted.empty() && wanted != "all")
            return split(wanted);
        std::vector<std::string> all;
        for (const auto &[id, entry] : known())
            all.push_back(id);
        return all;
    }();
    return ids;
}

Target &target(const std::string &id)
{
    const auto entry = known().find(id);
    if (entry == known().end())
        throwBadInput("there is no device '" + id + "' to test");
    if (!entry->second.target)
        entry->second.target = std::make_unique<Target>(entry->second.report);
    return *entry->second.target;
}

void closeTargets()
{
    for (auto &[id, entry] : known())
        entry.target.reset();
}

std::uint32_t seed()
{
    static const std::uint32_t value = [] {
        const std::string text = environment("FIRESIDE_CONFORMANCE_SEED");
        return text.empty() ? std::random_device()() : static_cast<std::uint32_t>(std::stoul(text));
    }();
    return value;
}

const std::vector<DType> &weightTypes()
{
    static const std::vector<DType> types(std::begin(kWeightTypes), std::end(kWeightTypes));
    return types;
}

} // namespace fireside::conformance
