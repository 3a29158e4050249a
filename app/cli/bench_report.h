#pragma once
#include "app/bench/benchmark.h"
#include "app/bench/comeback.h"
#include "app/bench/comparison.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

// What `fireside-cli bench` prints.
namespace fireside::cli {

struct BenchReport
{
    BenchSettings settings;
    BenchResult result = {};
    bool ops = false, load = false;
    std::string peer; // its folder; empty: nothing was compared
    std::string peerLibrary = {};
    Comparison prompts = {}, generations = {};
    std::optional<Comeback> comeback = {};
};

void printText(const BenchReport &report);
nlohmann::ordered_json toJson(const BenchReport &report);

} // namespace fireside::cli
