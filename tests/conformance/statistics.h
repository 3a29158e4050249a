#pragma once
#include <cstdint>
#include <string>

// What was tested, for the table at the end of a run.
namespace fireside::conformance {

void countCase(const std::string &device, const std::string &op, const std::string &types);
void countSkip(const std::string &device, const std::string &op, const std::string &reason);
void countFailure(const std::string &device, const std::string &op);
/// How many failures an op has had on a device.
std::int64_t failures(const std::string &device, const std::string &op);
/// allowed: 0 where nothing is
void noteError(const std::string &device, const std::string &op, double relativeError,
               double allowed = 0);

/// One line per op and device, and a summary.
std::string statisticsTable();
/// Cases that a device did not support.
std::int64_t skippedCases();

} // namespace fireside::conformance
