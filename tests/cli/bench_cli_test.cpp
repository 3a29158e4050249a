// fireside-cli bench: what it measures and prints, and turns with another library.
#include "tests/cli/cli_process.h"
#include "tests/support/starter.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>

namespace fireside {
namespace {

using nlohmann::json;

const std::string kTiny = "bench --shape tiny --type Q4_0 --threads 2 --backend cpu ";

void expectRefused(const std::string &arguments, int code, const std::string &part,
                   const std::string &environment = "")
{
    const auto [out, status] = test::runCli(arguments, environment);
    EXPECT_EQ(status, code) << out;
    EXPECT_NE(out.find(part), std::string::npos) << out;
}

json measured(const std::string &arguments)
{
    const auto [out, code] = test::runCli(arguments + " --json");
    EXPECT_EQ(code, 0) << out;
    return json::parse(out);
}

TEST(BenchCliTest, PrintsEveryKey)
{
    const json j = measured(kTiny + "--prompt 16 --gen 4 --depth 8 --reps 2 --no-ceiling");
    for (const char *key :
         {"prompt_tok_s", "gen_tok_s", "load_s", "weights_bytes", "kv_bytes", "peak_rss_bytes"})
        EXPECT_GT(j.at(key).get<double>(), 0) << key;
    EXPECT_EQ(j.at("backend"), "cpu");
    EXPECT_FALSE(j.at("device").get<std::string>().empty());
    EXPECT_FALSE(j.contains("machine"));
    const auto [chats, code] =
        test::runCli(kTiny + "--prompt 8 --gen 3 --chats 5 --depth 4 --reps 1 --no-ceiling");
    EXPECT_EQ(code, 0) << chats;
    EXPECT_NE(chats.find("generation 3 in each of 5 chats"), std::string::npos) << chats;
    const json joined =
        measured(kTiny + "--prompt 8 --gen 3 --chats 3 --joining 5 --reps 2 --ops --no-ceiling");
    EXPECT_GT(joined.at("joined_pass_s").get<double>(), 0);
    EXPECT_FALSE(joined.at("ops").at("joined").empty());
    EXPECT_FALSE(j.contains("joined_pass_s"));
    expectRefused("bench --shape tiny --chats 0", 2, "--chats");
    expectRefused("bench --shape huge", 1, "unknown shape 'huge'");
    expectRefused("bench --shape tiny --type q9", 1, "unknown type 'q9'");
    expectRefused("bench ", 2, "MODEL or --shape");
}

TEST(BenchCliTest, OpsStandBesideWhatTheProcessorCanDo)
{
    const json j = measured("bench '" + test::starterModel().string() +
                            "' --backend cpu --threads 1 --prompt 32 --gen 8 --reps 1 --ops");
    const json &machine = j.at("machine");
    EXPECT_EQ(machine.at("threads"), 1);
    for (const char *rate : {"read_bytes_s", "byte_products_s", "float_products_s"})
        EXPECT_GT(machine.at(rate).get<double>(), 1e8) << rate;
    EXPECT_GT(machine.at("byte_products_s"), machine.at("float_products_s"));
    const json &reading = j.at("gen_reading");
    EXPECT_EQ(reading.at("turns"), 1); // of up to 16 tokens
    EXPECT_GT(reading.at("bytes_s").get<double>(), 0);
    EXPECT_LE(reading.at("least_share"), reading.at("share"));
    EXPECT_LE(reading.at("share"), reading.at("greatest_share"));
    double products = 0, bytes = 0;
    for (const json &op : j.at("ops").at("generation")) {
        EXPECT_GE(op.at("least_seconds").get<double>(), 0) << op.at("op");
        products += op.at("byte_products").get<double>();
        bytes += op.at("bytes").get<double>();
    }
    // 8 tokens with each weight once: 29.4 million, the embedding being the output's matrix too.
    EXPECT_NEAR(products, 8 * 29.4e6, 8 * 0.5e6);
    EXPECT_NEAR(bytes, 8 * 21.2e6, 8 * 1e6);
    const auto [out, code] =
        test::runCli("bench '" + test::starterModel().string() +
                     "' --backend cpu --threads 2 --prompt 8 --gen 2 --reps 1 --ops");
    EXPECT_EQ(code, 0) << out;
    for (const char *part : {"2 threads: reads ", "of the processor's ceiling", "of bare reading",
                             "attention", "GB/s"})
        EXPECT_NE(out.find(part), std::string::npos) << part << '\n' << out;
}

TEST(BenchCliTest, ComparesInTurns)
{
    const std::string turns = kTiny + "--prompt 8 --gen 5 --reps 3 --no-ceiling --compare ";
    const json j = measured(turns + "'" FAKE_LLAMA "'");
    const json &compare = j.at("compare");
    for (const char *part : {"prompt", "generation"}) {
        const json &ratio = compare.at(part);
        EXPECT_EQ(ratio.at("turns"), 3);
        // It waits a millisecond in each pass.
        const double most = std::string(part) == "prompt" ? 8000 : 1000;
        EXPECT_LE(ratio.at("peer_tok_s").get<double>(), most);
        EXPECT_GT(ratio.at("peer_tok_s").get<double>(), 0);
        EXPECT_LE(ratio.at("least_ratio"), ratio.at("ratio"));
        EXPECT_LE(ratio.at("ratio"), ratio.at("greatest_ratio"));
        EXPECT_GT(ratio.at("least_ratio").get<double>(), 0);
    }
    const auto [out, code] = test::runCli(turns + "'" FAKE_LLAMA "'");
    EXPECT_EQ(code, 0) << out;
    EXPECT_NE(out.find("times ("), std::string::npos) << out;
}

TEST(BenchCliTest, AnotherLibraryThatFailsIsNamed)
{
    const std::string start = kTiny + "--prompt 8 --gen 2 --reps 1 --no-ceiling --compare ";
    const std::string fake = start + "'" FAKE_LLAMA "'";
    expectRefused(fake, 1, "cannot load", "FAKE_LLAMA=refuse");
    expectRefused(fake, 1, "ended by signal", "FAKE_LLAMA=crash");
    expectRefused(start + "/nowhere", 1, "no such folder");
    const test::TempDir empty;
    expectRefused(start + "'" + empty.path().string() + "'", 1, "holds no libllama.so");
    std::filesystem::create_symlink(FAKE_LLAMA "/libggml.so", empty / "libggml.so");
    std::filesystem::create_symlink(FAKE_LLAMA "/libggml.so", empty / "libllama.so");
    expectRefused(start + "'" + empty.path().string() + "'", 1, "has no function llama_log_set");
    expectRefused(fake + " --chats 2", 1, "for one chat");
    expectRefused(fake + " --kv q8_0", 1, "a cache in F16");
}

} // namespace
} // namespace fireside
