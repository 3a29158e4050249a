#include "app/cli/bench_report.h"

#include "engine/core/memory_info.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace fireside::cli {
namespace {

OpWork workOfAll(const std::vector<OpTime> &ops)
{
    OpWork sum;
    for (const OpTime &t : ops)
        sum += t.work;
    return sum;
}

double secondsOfAll(const std::vector<OpTime> &ops)
{
    double sum = 0;
    for (const OpTime &t : ops)
        sum += t.seconds;
    return sum;
}

/// ", 83 % of what the processor could do"; nothing without its rates.
std::string shareText(const std::vector<OpTime> &ops, const std::optional<MachineRates> &machine)
{
    const double seconds = secondsOfAll(ops);
    if (!machine || seconds <= 0)
        return "";
    char text[80];
    std::snprintf(text, sizeof text, ", %.0f %% of the processor's ceiling",
                  100 * leastSeconds(workOfAll(ops), *machine) / seconds);
    return text;
}

/// Of generation beside bare reading.
struct ReadingSummary
{
    double bytes = 0, share = 0, least = 0, greatest = 0; // medians, and the shares' range
    std::size_t turns = 0;
};
ReadingSummary readingOf(const BenchResult &r)
{
    if (r.generateShares.empty())
        return {};
    const auto [least, greatest] =
        std::minmax_element(r.generateShares.begin(), r.generateShares.end());
    return {median(r.generateReads), median(r.generateShares), *least, *greatest,
            r.generateShares.size()};
}

void printOps(const std::string &title, std::vector<OpTime> ops,
              const std::optional<MachineRates> &machine)
{
    std::sort(ops.begin(), ops.end(),
              [](const OpTime &a, const OpTime &b) { return a.seconds > b.seconds; });
    const double total = secondsOfAll(ops);
    std::printf("%s%s\n", title.c_str(), shareText(ops, machine).c_str());
    for (const OpTime &t : ops) {
        std::printf("  %-18s %8lld calls %8s %10.3f ms %5.1f %%", t.op,
                    static_cast<long long>(t.calls),
                    t.dispatches > 0 ? (std::to_string(t.dispatches) + " launches").c_str() : "",
                    t.seconds * 1e3, total > 0 ? 100 * t.seconds / total : 0);
        const double least = machine ? leastSeconds(t.work, *machine) : 0;
        if (least > 0 && t.seconds > 0)
            std::printf("   %6.1f GB/s %7.1f Gmul/s, ceiling %3.0f %%",
                        t.work.bytes / t.seconds / 1e9,
                        (t.work.byteProducts + t.work.floatProducts) / t.seconds / 1e9,
                        100 * least / t.seconds);
        std::printf("\n");
    }
}

void printLoad(const BenchResult &r)
{
    std::printf("load\n");
    for (const auto &[stage, seconds] : r.loadStages)
        std::printf("  %-26s %8.1f ms\n", stage.c_str(), seconds * 1e3);
    std::printf("opening, each part alone\n");
    for (const auto &[part, seconds] : r.openingParts)
        std::printf("  %-26s %8.1f ms\n", part.c_str(), seconds * 1e3);
}

void printRatio(const char *what, const Comparison &comparison)
{
    const RatioSummary s = summarise(comparison);
    if (s.ratio > 0)
        std::printf("  %-11s %9.2f against %9.2f tok/s: %.2f times (%.2f to %.2f in %zu turns)\n",
                    what, s.ours, s.peers, s.ratio, s.least, s.greatest, comparison.ours.size());
}

nlohmann::ordered_json opsJson(const std::vector<OpTime> &ops,
                               const std::optional<MachineRates> &machine)
{
    auto j = nlohmann::ordered_json::array();
    for (const OpTime &t : ops) {
        j.push_back({{"op", t.op},
                     {"calls", t.calls},
                     {"dispatches", t.dispatches},
                     {"seconds", t.seconds},
                     {"bytes", t.work.bytes},
                     {"byte_products", t.work.byteProducts},
                     {"float_products", t.work.floatProducts}});
        if (machine)
            j.back()["least_seconds"] = leastSeconds(t.work, *machine);
    }
    return j;
}

nlohmann::ordered_json ratioJson(const Comparison &comparison)
{
    const RatioSummary s = summarise(comparison);
    return {{"ours_tok_s", s.ours},
            {"peer_tok_s", s.peers},
            {"ratio", s.ratio},
            {"least_ratio", s.least},
            {"greatest_ratio", s.greatest},
            {"turns", comparison.ours.size()}};
}

} // namespace

void printText(const BenchReport &report)
{
    const BenchResult &r = report.result;
    const BenchSettings &s = report.settings;
    std::printf("%s (%s)\n%s\n", r.device.c_str(), r.backend.c_str(), r.reason.c_str());
    if (r.machine)
        std::printf("%d thread%s: reads %.1f GB/s, multiplies %.0f G bytes and %.0f G floats a "
                    "second at best\n",
                    r.threads, r.threads == 1 ? "" : "s", r.machine->readBytes / 1e9,
                    r.machine->byteProducts / 1e9, r.machine->floatProducts / 1e9);
    const std::string chats =
        s.chats > 1 ? " in each of " + std::to_string(s.chats) + " chats" : "";
    std::printf("prompt %d at depth %d: %.1f tok/s%s\ngeneration %d%s: %.2f tok/s%s\nload: %.2f "
                "s\n",
                s.prompt, s.depth, r.promptRate, shareText(r.promptOps, r.machine).c_str(),
                s.generate, chats.c_str(), r.generateRate,
                shareText(r.generateOps, r.machine).c_str(), r.loadSeconds);
    if (!r.joinedSeconds.empty())
        std::printf("with %d tokens of a prompt that join: %.2f ms a pass (%.2f to %.2f)\n",
                    s.joining, 1e3 * median(r.joinedSeconds),
                    1e3 * *std::min_element(r.joinedSeconds.begin(), r.joinedSeconds.end()),
                    1e3 * *std::max_element(r.joinedSeconds.begin(), r.joinedSeconds.end()));
    if (const ReadingSummary reading = readingOf(r); reading.turns > 0)
        std::printf(
            "generation reads %.1f GB/s, %.0f %% of bare reading before and after it (%.0f to "
            "%.0f %% in %zu turns)\n",
            reading.bytes / 1e9, 100 * reading.share, 100 * reading.least, 100 * reading.greatest,
            reading.turns);
    if (r.expected)
        std::printf("expected by the choice of devices: prompt %.1f tok/s, generation %.2f tok/s\n",
                    r.expected->prompt, r.expected->generate);
    std::printf("weights %s, cache %s, peak resident %s\n", formatBytes(r.weightBytes).c_str(),
                formatBytes(r.kvBytes).c_str(), formatBytes(r.peakResidentBytes).c_str());
    if (!report.peer.empty()) {
        std::printf("against %s%s\n", report.peer.c_str(),
                    report.peerLibrary.empty() ? "" : (" (" + report.peerLibrary + ")").c_str());
        printRatio("prompt", report.prompts);
        printRatio("generation", report.generations);
    }
    if (report.comeback)
        std::printf("back after a rest: %.2f s, first token after %.2f s, of which %.2f s read %d "
                    "tokens\n",
                    report.comeback->weights, report.comeback->token, report.comeback->reading,
                    report.comeback->read);
    if (report.load)
        printLoad(r);
    if (report.ops) {
        printOps("prompt", r.promptOps, r.machine);
        printOps("generation", r.generateOps, r.machine);
        if (!r.joinedOps.empty())
            printOps("passes that a prompt joins", r.joinedOps, r.machine);
    }
}

nlohmann::ordered_json toJson(const BenchReport &report)
{
    const BenchResult &r = report.result;
    nlohmann::ordered_json j{{"prompt_tok_s", r.promptRate},
                             {"gen_tok_s", r.generateRate},
                             {"load_s", r.loadSeconds},
                             {"weights_bytes", r.weightBytes},
                             {"kv_bytes", r.kvBytes},
                             {"chats", report.settings.chats},
                             {"peak_rss_bytes", r.peakResidentBytes},
                             {"backend", r.backend},
                             {"device", r.device}};
    if (r.machine)
        j["machine"] = {{"threads", r.threads},
                        {"read_bytes_s", r.machine->readBytes},
                        {"byte_products_s", r.machine->byteProducts},
                        {"float_products_s", r.machine->floatProducts}};
    if (const ReadingSummary reading = readingOf(r); reading.turns > 0)
        j["gen_reading"] = {{"bytes_s", reading.bytes},
                            {"share", reading.share},
                            {"least_share", reading.least},
                            {"greatest_share", reading.greatest},
                            {"turns", reading.turns}};
    if (!r.joinedSeconds.empty())
        j["joined_pass_s"] = median(r.joinedSeconds);
    if (r.expected)
        j["expected"] = {{"prompt_tok_s", r.expected->prompt}, {"gen_tok_s", r.expected->generate}};
    if (!report.peer.empty())
        j["compare"] = {{"folder", report.peer},
                        {"processor_library", report.peerLibrary},
                        {"prompt", ratioJson(report.prompts)},
                        {"generation", ratioJson(report.generations)}};
    if (report.comeback)
        j["back"] = {{"load_s", report.comeback->weights},
                     {"token_s", report.comeback->token},
                     {"reading_s", report.comeback->reading},
                     {"read_tokens", report.comeback->read}};
    if (report.load)
        for (const auto &[stage, seconds] : r.loadStages)
            j["load"].push_back({{"stage", stage}, {"seconds", seconds}});
    for (const auto &[part, seconds] : r.openingParts)
        j["opening"].push_back({{"part", part}, {"seconds", seconds}});
    if (report.ops)
        j["ops"] = {{"prompt", opsJson(r.promptOps, r.machine)},
                    {"generation", opsJson(r.generateOps, r.machine)}};
    if (report.ops && !r.joinedOps.empty())
        j["ops"]["joined"] = opsJson(r.joinedOps, r.machine);
    return j;
}

} // namespace fireside::cli
