#include "tests/conformance/statistics.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <utility>

namespace fireside::conformance {
namespace {

struct Line
{
    std::int64_t cases = 0, skipped = 0, failed = 0;
    double worst = 0, worstShare = 0; // the latter of what is allowed
    std::set<std::string> types;
    std::string skipReason;
};

std::map<std::pair<std::string, std::string>, Line> &lines()
{
    static std::map<std::pair<std::string, std::string>, Line> all; // by op and device
    return all;
}

Line &line(const std::string &device, const std::string &op)
{
    return lines()[{op, device}];
}

} // namespace

void countCase(const std::string &device, const std::string &op, const std::string &types)
{
    Line &l = line(device, op);
    ++l.cases;
    l.types.insert(types);
}

void countSkip(const std::string &device, const std::string &op, const std::string &reason)
{
    Line &l = line(device, op);
    ++l.skipped;
    l.skipReason = reason;
}

void countFailure(const std::string &device, const std::string &op)
{
    ++line(device, op).failed;
}

std::int64_t failures(const std::string &device, const std::string &op)
{
    return line(device, op).failed;
}

void noteError(const std::string &device, const std::string &op, double relativeError,
               double allowed)
{
    Line &l = line(device, op);
    l.worst = std::max(l.worst, relativeError);
    if (allowed > 0)
        l.worstShare = std::max(l.worstShare, relativeError / allowed);
}

std::int64_t skippedCases()
{
    std::int64_t sum = 0;
    for (const auto &[key, l] : lines())
        sum += l.skipped;
    return sum;
}

std::string statisticsTable()
{
    std::string text;
    char row[256];
    std::snprintf(row, sizeof row, "%-24s %-9s %7s %6s %6s %7s  %s\n", "op", "device", "cases",
                  "types", "failed", "skipped", "worst relative error, share of what is allowed");
    text += row;
    std::int64_t cases = 0, failed = 0, skipped = 0;
    std::set<std::string> ops, devices;
    for (const auto &[key, l] : lines()) {
        std::snprintf(row, sizeof row, "%-24s %-9s %7lld %6zu %6lld %7lld  %-8.2g %3.0f %%%s%s\n",
                      key.first.c_str(), key.second.c_str(), static_cast<long long>(l.cases),
                      l.types.size(), static_cast<long long>(l.failed),
                      static_cast<long long>(l.skipped), l.worst, 100 * l.worstShare,
                      l.skipped > 0 ? "  skipped: " : "", l.skipReason.c_str());
        text += row;
        ops.insert(key.first);
        devices.insert(key.second);
        cases += l.cases;
        failed += l.failed;
        skipped += l.skipped;
    }
    std::snprintf(row, sizeof row,
                  "conformance: %zu ops × %zu devices: %lld cases, %lld failed, %lld skipped\n",
                  ops.size(), devices.size(), static_cast<long long>(cases),
                  static_cast<long long>(failed), static_cast<long long>(skipped));
    return text + row;
}

} // namespace fireside::conformance
