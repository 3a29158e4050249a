#include "engine/core/cgroup.h"

#include "engine/core/small_file.h"

#include <algorithm>
#include <sstream>
#include <vector>

namespace fireside {
namespace {

/// A mounted hierarchy and this process's group in it.
struct Hierarchy
{
    bool unified = false;    // v2
    std::string controllers; // of v1, comma-separated
    std::string mountPoint;
    std::string group; // relative to the mount point: "" or "/a/b"
};

bool hasWord(const std::string &list, const std::string &word)
{
    return ("," + list + ",").find("," + word + ",") != std::string::npos;
}

/// The group as seen below a mount that shows only `mountRoot`. A group outside of it belongs to
/// another namespace, where the mount point itself is the best that can be seen.
std::string belowMount(const std::string &group, const std::string &mountRoot)
{
    if (group == "/" || group.find("/..") != std::string::npos)
        return "";
    if (mountRoot == "/")
        return group;
    if (group.compare(0, mountRoot.size(), mountRoot) != 0)
        return "";
    const std::string rest = group.substr(mountRoot.size());
    return rest.empty() || rest[0] == '/' ? rest : "";
}

/// Group of this process from lines "id:controllers:path"; an empty controller asks for v2.
std::optional<std::string> ownGroup(const std::string &table, const std::string &controller)
{
    std::istringstream lines(table);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos)
            continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        if (controller.empty() ? controllers.empty() : hasWord(controllers, controller))
            return line.substr(second + 1);
    }
    return std::nullopt;
}

/// Lines of mountinfo: id parent major:minor root mountPoint options… - type source superOptions
std::vector<Hierarchy> hierarchies(const std::string &root)
{
    const std::string groups = readSmallFile(root + "/proc/self/cgroup").value_or("");
    std::istringstream lines(readSmallFile(root + "/proc/self/mountinfo").value_or(""));
    std::vector<Hierarchy> found;
    for (std::string line; std::getline(lines, line);) {
        const std::size_t dash = line.find(" - ");
        if (dash == std::string::npos)
            continue;
        std::istringstream left(line.substr(0, dash));
        std::istringstream right(line.substr(dash + 3));
        std::string skipped, mountRoot, mountPoint, type, source, options;
        left >> skipped >> skipped >> skipped >> mountRoot >> mountPoint;
        right >> type >> source >> options;
        if (type != "cgroup" && type != "cgroup2")
            continue;
        Hierarchy h;
        h.unified = type == "cgroup2";
        h.mountPoint = root + mountPoint;
        if (h.unified) {
            h.group = belowMount(ownGroup(groups, "").value_or("/"), mountRoot);
        } else {
            h.controllers = options;
            const char *controller = hasWord(options, "memory") ? "memory" : "cpu";
            h.group = belowMount(ownGroup(groups, controller).value_or("/"), mountRoot);
        }
        found.push_back(std::move(h));
    }
    return found;
}

template <typename T>
void lower(std::optional<T> &limit, std::optional<T> value)
{
    if (value && (!limit || *value < *limit))
        limit = value;
}

std::optional<double> cpuQuota(const std::string &folder, bool unified)
{
    if (unified) { // "max 100000" or "150000 100000"
        const auto text = readSmallFile(folder + "/cpu.max");
        if (!text)
            return std::nullopt;
        const auto quota = parseUnsigned(*text);
        const auto period = parseUnsigned(text->substr(std::min(text->find(' '), text->size())));
        if (!quota || !period || *period == 0)
            return std::nullopt;
        return static_cast<double>(*quota) / static_cast<double>(*period);
    }
    // −1 means no quota and is no unsigned number
    const auto quota = parseUnsigned(readSmallFile(folder + "/cpu.cfs_quota_us").value_or(""));
    const auto period = parseUnsigned(readSmallFile(folder + "/cpu.cfs_period_us").value_or(""));
    if (!quota || !period || *quota == 0 || *period == 0)
        return std::nullopt;
    return static_cast<double>(*quota) / static_cast<double>(*period);
}

std::optional<std::uint64_t> statField(const std::string &stat, const std::string &field)
{
    std::istringstream lines(stat);
    for (std::string line; std::getline(lines, line);)
        if (line.compare(0, field.size() + 1, field + " ") == 0)
            return parseUnsigned(line.substr(field.size()));
    return std::nullopt;
}

void lowerMemory(CgroupLimits &limits, const std::string &folder, bool unified)
{
    constexpr std::uint64_t kUnlimited = std::uint64_t{1} << 60; // v1 writes a huge number
    const auto limit = parseUnsigned(
        readSmallFile(folder + (unified ? "/memory.max" : "/memory.limit_in_bytes")).value_or(""));
    if (!limit || *limit >= kUnlimited)
        return;
    lower<std::uint64_t>(limits.memory, *limit);
    const auto used = parseUnsigned(
        readSmallFile(folder + (unified ? "/memory.current" : "/memory.usage_in_bytes"))
            .value_or(""));
    if (!used)
        return;
    const std::string stat = readSmallFile(folder + "/memory.stat").value_or("");
    const std::string prefix = unified ? "" : "total_";
    const std::uint64_t cache = statField(stat, prefix + "inactive_file").value_or(0) +
                                statField(stat, prefix + "active_file").value_or(0);
    const std::uint64_t held = *used - std::min<std::uint64_t>(cache, *used);
    lower<std::uint64_t>(limits.memoryAvailable, *limit - std::min<std::uint64_t>(held, *limit));
}

} // namespace

CgroupLimits queryCgroups(const std::string &root)
{
    CgroupLimits limits;
    for (const Hierarchy &h : hierarchies(root)) {
        const bool cpu = h.unified || hasWord(h.controllers, "cpu");
        const bool memory = h.unified || hasWord(h.controllers, "memory");
        for (std::string group = h.group;;) {
            const std::string folder = h.mountPoint + group;
            if (cpu)
                lower(limits.cpus, cpuQuota(folder, h.unified));
            if (memory)
                lowerMemory(limits, folder, h.unified);
            const std::size_t slash = group.rfind('/');
            if (slash == std::string::npos)
                break;
            group.resize(slash);
        }
    }
    return limits;
}

} // namespace fireside
