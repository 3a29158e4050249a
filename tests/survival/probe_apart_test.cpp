#include "engine/driver_process.h"
#include "engine/engine.h"
#include "engine/probe_apart.h"
#include "engine/report_json.h"
#include "tests/cli/cli_process.h"
#include "tests/support/golden.h"
#include "tests/support/require.h"
#include "tests/support/scoped_env.h"
#include "tests/support/temp_dir.h"
#include "tests/survival/fault_layer.h"
#include "tests/vulkan/lavapipe.h"

#include <chrono>
#include <csignal>

// Drivers that crash, hang or end the program while they are probed, in a process of its own.
namespace fireside {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using test::ScopedEnv;

DeviceReport fullReport()
{
    DeviceReport r;
    r.kind = BackendKind::Vulkan;
    r.id = "vulkan:3";
    r.name = "A \"card\"\n";
    r.available = true;
    r.software = true;
    r.unifiedMemory = true;
    r.reason = "passed every check";
    r.memoryTotal = 1ULL << 60;
    r.memoryFree = 0;
    r.checks = {{"One", DeviceCheck::Outcome::Passed, "detail", "", ""},
                {"Two", DeviceCheck::Outcome::Failed, "", "raw", "advice"},
                {"Three", DeviceCheck::Outcome::NotReached, "", "", ""}};
    r.properties = {{"b", "2"}, {"a", "1"}};
    return r;
}

TEST(ReportJson, AReportComesBackAsItWas)
{
    for (const DeviceReport &report : {fullReport(), DeviceReport(), probeCpu()}) {
        const nlohmann::ordered_json json = toJson(report);
        const DeviceReport back = reportFromJson(json);
        EXPECT_EQ(toJson(back), json);
        EXPECT_EQ(back.memoryFree, report.memoryFree);
        EXPECT_EQ(back.properties, report.properties);
        EXPECT_EQ(back.checks.size(), report.checks.size());
    }
    for (const char *text : {"1", "{}", "[]", "null", "{\"id\": 3}"})
        EXPECT_THROW(reportFromJson(nlohmann::ordered_json::parse(text)), Error) << text;
    nlohmann::ordered_json json = toJson(fullReport());
    const nlohmann::ordered_json whole = json;
    for (const auto &[key, value] : whole.items()) {
        nlohmann::ordered_json without = json;
        without.erase(key);
        EXPECT_THROW(reportFromJson(without), Error) << key;
    }
    json["checks"][0]["outcome"] = "perhaps";
    EXPECT_THROW(reportFromJson(json), Error);
}

TEST(DriverProcessTest, SaysHowItEnded)
{
    const auto shell = [](const std::string &script, int limit = 20000) {
        return DriverProcess::run("/bin/sh", {"sh", "-c", script}, milliseconds(limit));
    };
    EXPECT_EQ(shell("echo yes; echo no >&2; exit 3").output, "yes\n");
    EXPECT_EQ(shell("exit 3").status, 3);
    EXPECT_EQ(shell("kill -SEGV $$").signal, SIGSEGV);
    EXPECT_EQ(shell("cat").output, ""); // nobody writes to it
    EXPECT_TRUE(shell("sleep 100", 50).timedOut);
    EXPECT_TRUE(shell("exec >&-; sleep 100", 50).timedOut);
    EXPECT_EQ(shell("yes | head -c 5000000").output.size() / DriverProcess::kMost, 1U);
    EXPECT_THROW(DriverProcess::run("/no/such/program", {"x"}, milliseconds(50)), Error);
}

class ProbeApartTest : public testing::Test
{
protected:
    void SetUp() override
    {
        if (!m_lavapipe.present())
            FIRESIDE_SKIP("lavapipe is not installed (apt install mesa-vulkan-drivers)");
        m_driver = m_lavapipe.select();
    }
    DeviceReport probed(const char *program = FIRESIDE_CLI, int limit = 20000) const
    {
        const std::vector<DeviceReport> reports =
            probeDevices({program, m_cache.path(), milliseconds(limit)});
        EXPECT_EQ(reports.size(), 2U);
        EXPECT_EQ(reports.at(0).id, "cpu");
        EXPECT_TRUE(reports.at(0).available);
        return reports.at(1);
    }
    static bool says(const DeviceReport &report, const char *words)
    {
        return !report.available && report.reason.find(words) != std::string::npos;
    }
    bool remembered() const { return fs::exists(m_cache / "probed-drivers"); }

    const test::TempDir m_cache;

private:
    const ScopedEnv m_layerFolder{"VK_LAYER_PATH", FAULT_LAYER_FOLDER};
    const ScopedEnv m_layerName{"VK_INSTANCE_LAYERS", test::kFaultLayer};
    test::Lavapipe m_lavapipe;
    std::unique_ptr<test::Lavapipe::Selection> m_driver;
};

TEST_F(ProbeApartTest, WhatTheDriverDoesIsTheReason)
{
    for (const char *call : {"vkCreateInstance", "vkCreateDevice", "vkQueueSubmit"}) {
        const auto with = [&](const char *kind, int limit = 20000) {
            const ScopedEnv fault("FIRESIDE_FAULT", (std::string(call) + " 1 " + kind).c_str());
            return probed(FIRESIDE_CLI, limit);
        };
        EXPECT_TRUE(says(with("abort"), "the graphics driver crashed while it was checked"))
            << call << with("abort").reason;
        EXPECT_TRUE(says(with("exit"), "the graphics driver ended the program")) << call;
        const DeviceReport stuck = with("stuck", 700);
        EXPECT_TRUE(says(stuck, "did not answer within 1 s")) << stuck.reason;
        ASSERT_EQ(stuck.checks.size(), 1U);
        EXPECT_EQ(stuck.checks[0].outcome, DeviceCheck::Outcome::Failed);
        EXPECT_FALSE(remembered());
    }
    EXPECT_TRUE(says(probed("/no/such/program"), "could not be checked"));
    EXPECT_TRUE(says(probed("/bin/true"), "ended the program"));
    EXPECT_FALSE(remembered());
}

TEST_F(ProbeApartTest, SafeDriversAreProbedHereTheNextTime)
{
    const DeviceReport apart = probed();
    EXPECT_TRUE(apart.available) << apart.reason;
    EXPECT_NE(apart.name.find("llvmpipe"), std::string::npos);
    EXPECT_TRUE(remembered());
    const DeviceReport here = probed("/no/such/program");
    EXPECT_TRUE(here.available) << here.reason;
    EXPECT_EQ(here.name, apart.name);
    EXPECT_EQ(here.properties.size(), apart.properties.size());
    EXPECT_EQ(here.checks.size(), apart.checks.size());
    EXPECT_TRUE(remembered());
    // Another driver is another matter.
    const ScopedEnv other("VK_ADD_DRIVER_FILES", "/no/such/driver.json");
    EXPECT_TRUE(says(probed("/no/such/program"), "could not be checked"));
    EXPECT_TRUE(probed().available);
}

TEST_F(ProbeApartTest, ACrashInTheProgramItselfIsTheLast)
{
    const auto cli = [&](const char *fault, const std::string &what) {
        return test::runCli(what, "XDG_CACHE_HOME='" + m_cache.path().string() +
                                      "' FIRESIDE_FAULT='" + fault + "'");
    };
    EXPECT_NE(cli("", "devices").first.find("passed every check"), std::string::npos);
    EXPECT_NE(cli("vkCreateDevice 1 abort", "devices").second, 0); // was known to be safe
    const auto [out, status] = cli("vkCreateDevice 1 abort", "devices");
    EXPECT_EQ(status, 0);
    EXPECT_NE(out.find("crashed while it was checked"), std::string::npos) << out;
    const auto [reply, replied] =
        cli("vkCreateDevice 1 abort", "run '" + test::goldenGguf("f16").string() +
                                          "' --raw -p hello --max-tokens 3 --threads 2");
    EXPECT_EQ(replied, 0) << reply;
    EXPECT_NE(reply.find("crashed while it was checked"), std::string::npos) << reply;
    // Asked for the CPU, nothing touches a driver.
    const auto [onCpu, cpu] = cli("vkCreateInstance 1 abort",
                                  "run '" + test::goldenGguf("f16").string() +
                                      "' --raw -p hello --max-tokens 3 --threads 2 --backend cpu");
    EXPECT_EQ(cpu, 0) << onCpu;
    EXPECT_EQ(onCpu.find("crashed"), std::string::npos) << onCpu;
}

#ifdef FIRESIDE_PROGRAM
TEST_F(ProbeApartTest, TheDesktopProgramServesToo)
{
    EXPECT_TRUE(probed(FIRESIDE_PROGRAM).available);
    fs::remove(m_cache / "probed-drivers");
    const ScopedEnv fault("FIRESIDE_FAULT", "vkCreateDevice 1 abort");
    EXPECT_TRUE(says(probed(FIRESIDE_PROGRAM), "crashed while it was checked"));
}
#endif

} // namespace
} // namespace fireside
