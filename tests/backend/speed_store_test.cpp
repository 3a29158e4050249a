#include "engine/backend/rate_devices.h"
#include "engine/backend/speed_store.h"
#include "engine/core/error.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

#include <fstream>
#include <new>
#include <system_error>

namespace fireside {
namespace {

std::vector<DeviceReport> processorAndCard(const std::string &driver)
{
    std::vector<DeviceReport> devices(2);
    devices[0].id = "cpu";
    devices[0].name = "Processor";
    devices[0].properties = {{"Threads", "2"}, {"RAM", "8 GB"}};
    devices[1].kind = BackendKind::Vulkan;
    devices[1].id = "vulkan:0";
    devices[1].name = "Card";
    devices[1].properties = {{"Driver version", driver}};
    return devices;
}

constexpr MachineRates kSomeRates{.readBytes = 1e9,
                                  .readFloats = 5e8,
                                  .byteProducts = 2e9,
                                  .floatProducts = 3e9,
                                  .opSeconds = 4e-6};

TEST(SpeedStore, KeepsRatesAndSpeedsByDriver)
{
    const test::TempDir folder;
    const auto file = folder / "sub" / "speeds.json";
    const auto devices = processorAndCard("1.2");
    const Placement whole{1, {1, 1}, 1}, split{0, {1, 0}, 0};
    {
        SpeedStore store(file);
        EXPECT_FALSE(store.rates(devices[1]));
        store.setRates(devices[1], kSomeRates);
        store.setSpeed("model", whole, devices, DType::F16, {30, 400});
        store.setSpeed("model", whole, devices, DType::F16, {31, 401});
        store.setSpeed("model", split, devices, DType::F16, {10, 100});
        store.setSpeed("model", split, devices, DType::F16, {0, 0}); // nothing was measured
    }
    const SpeedStore store(file);
    ASSERT_TRUE(store.rates(devices[1]));
    EXPECT_EQ(store.rates(devices[1])->floatProducts, 3e9);
    EXPECT_EQ(store.rates(devices[1])->readFloats, 5e8);
    EXPECT_EQ(store.rates(devices[1])->opSeconds, 4e-6);
    const KnownSpeeds known = store.known("model", devices);
    ASSERT_EQ(known.devices.size(), 1u);
    EXPECT_EQ(known.devices[0].device, "vulkan:0");
    ASSERT_EQ(known.measured.size(), 2u) << "the newer one of two";
    EXPECT_EQ(known.measured[0].placement, placementKey(whole, devices));
    EXPECT_EQ(known.measured[0].speed.generate, 31);
    EXPECT_TRUE(store.known("another", devices).measured.empty());
    // Another driver: as if it were another device.
    const auto newer = processorAndCard("1.3");
    EXPECT_FALSE(store.rates(newer[1]));
    EXPECT_TRUE(store.known("model", newer).measured.empty());
    EXPECT_TRUE(store.known("model", {}).measured.empty());
}

TEST(SpeedStore, WhatOtherModelsReachedIsKnownOfADevice)
{
    const test::TempDir folder;
    const auto file = folder / "speeds.json";
    const auto devices = processorAndCard("1.2");
    const Placement onCard{1, {1, 1}, 1}, onProcessor{0, {0, 0}, 0}, split{0, {1, 0}, 0};
    {
        SpeedStore store(file);
        for (const DeviceReport &device : devices)
            store.setRates(device, kSomeRates);
        store.setSpeed("a", onCard, devices, DType::F16, {30, 400}, {20, 300});
        store.setSpeed("a", split, devices, DType::F16, {10, 100}, {9, 90});
        store.setSpeed("a", onProcessor, devices, DType::F16, {5, 50}); // nothing was expected
        store.addReply("b", onProcessor, devices, DType::F16, {6, 60}, {3, 30});
    }
    const auto known = [&](const std::string &driver) {
        return SpeedStore(file).known("c", processorAndCard(driver)).devices;
    };
    ASSERT_EQ(known("1.2").size(), 2U);
    EXPECT_TRUE(known("1.2")[0].reached.empty()) << "one reply is too few";
    ASSERT_EQ(known("1.2")[1].reached.size(), 1U) << "two devices together say nothing of one";
    const ReachedSpeed card = known("1.2")[1].reached.front();
    EXPECT_EQ(card.expected.generate, 20);
    EXPECT_EQ(card.expected.prompt, 300);
    EXPECT_EQ(card.reached.generate, 30);
    EXPECT_EQ(card.reached.prompt, 400);
    for (int reply = 0; reply < 2; ++reply)
        SpeedStore(file).addReply("b", onProcessor, devices, DType::F16, {6, 60}, {3, 30});
    ASSERT_EQ(known("1.2")[0].reached.size(), 1U);
    EXPECT_EQ(known("1.2")[0].reached.front().reached.prompt, 60);
    EXPECT_EQ(known("1.3").size(), 1U) << "another driver";
}

TEST(SpeedStore, OfRepliesTheMedianOfTheLastFiveCounts)
{
    const test::TempDir folder;
    const auto file = folder / "speeds.json";
    const auto devices = processorAndCard("1.2");
    const Placement whole{1, {1, 1}, 1};
    const auto known = [&] { return SpeedStore(file).known("model", devices).measured; };
    const auto reply = [&](double generate, double prompt = 0) {
        SpeedStore(file).addReply("model", whole, devices, DType::F16, {generate, prompt});
    };
    reply(10, 100);
    reply(0, 100); // says nothing
    reply(12);
    EXPECT_TRUE(known().empty()) << "two replies are chance";
    reply(2);
    ASSERT_EQ(known().size(), 1u);
    EXPECT_EQ(known()[0].speed.generate, 10);
    EXPECT_EQ(known()[0].speed.prompt, 100) << "of those in which enough was read";
    reply(13);
    EXPECT_EQ(known()[0].speed.generate, 11); // between 10 and 12
    reply(14);
    EXPECT_EQ(known()[0].speed.generate, 12); // 10 12 2 13 14
    reply(15);
    EXPECT_EQ(known()[0].speed.generate, 13); // 12 2 13 14 15
    // What was measured at length is not outvoted by a busy reply or two.
    SpeedStore(file).setSpeed("model", whole, devices, DType::F16, {30, 300});
    reply(5);
    reply(5);
    ASSERT_EQ(known().size(), 1u);
    EXPECT_EQ(known()[0].speed.generate, 30);
    reply(5);
    EXPECT_EQ(known()[0].speed.generate, 5) << "three in a row are no chance";
    // With another driver it begins anew.
    const auto newer = processorAndCard("1.3");
    SpeedStore(file).addReply("model", whole, newer, DType::F16, {7, 0});
    EXPECT_TRUE(known().empty());
    EXPECT_TRUE(SpeedStore(file).known("model", newer).measured.empty());
}

TEST(SpeedStore, ReadsFilesOfEarlierVersions)
{
    const test::TempDir folder;
    const auto file = folder / "speeds.json";
    const auto devices = processorAndCard("1.2");
    std::ofstream(file) << R"({"version":4,"devices":{},"models":{"model":[{"placement":"cpu ×4",)"
                           R"("kv":"F16","generate":8,"prompt":80,)"
                           R"("devices":{"cpu":"Processor; 2"}}]}})";
    const auto known = SpeedStore(file).known("model", devices).measured;
    ASSERT_EQ(known.size(), 1u);
    EXPECT_EQ(known[0].speed.generate, 8);
}

TEST(SpeedStore, DamagedFilesCountAsEmpty)
{
    const test::TempDir folder;
    const auto file = folder / "speeds.json";
    const auto devices = processorAndCard("1.2");
    SpeedStore(file).setRates(devices[1], kSomeRates);
    std::string good;
    std::getline(std::ifstream(file), good, '\0');
    for (const std::string &bad :
         {std::string(), std::string("{"), std::string("[]"), std::string("{\"version\":1}"),
          good.substr(0, good.size() / 2), std::string("{\"version\":4,\"devices\":7}"),
          std::string(R"({"version":4,"devices":{"Card; 1.2":{"read":-1,"bytes":1,"floats":1,)"
                      R"("op":0}},"models":{}})")}) {
        std::ofstream(file, std::ios::trunc) << bad;
        SpeedStore store(file);
        EXPECT_FALSE(store.rates(devices[1])) << bad;
        store.setRates(devices[1], kSomeRates);
        EXPECT_TRUE(SpeedStore(file).rates(devices[1])) << bad;
    }
    SpeedStore nowhere;
    nowhere.setRates(devices[1], kSomeRates);
    EXPECT_TRUE(nowhere.rates(devices[1]));
}

TEST(RateDevices, AFailureSaysNothingOfTheOthers)
{
    std::vector<DeviceReport> devices(6);
    for (std::size_t i = 0; i < devices.size(); ++i) {
        devices[i].id = devices[i].name = std::to_string(i);
        devices[i].available = i != 4;
    }
    SpeedStore store;
    std::string asked;
    const auto measure = [&](const DeviceReport &report) {
        asked += report.id;
        if (report.id == "0")
            throw Error(ErrorKind::Device, "lost");
        if (report.id == "1")
            throw std::bad_alloc();
        if (report.id == "2")
            throw std::system_error(
                std::make_error_code(std::errc::resource_unavailable_try_again));
        return kSomeRates;
    };
    rateDevices(devices, store, measure);
    EXPECT_EQ(asked, "01235") << "what cannot be used is not asked";
    EXPECT_FALSE(store.rates(devices[0]));
    EXPECT_FALSE(store.rates(devices[2]));
    EXPECT_TRUE(store.rates(devices[3]));
    EXPECT_TRUE(store.rates(devices[5]));
    rateDevices(devices, store, measure);
    EXPECT_EQ(asked, "01235012") << "known ones are not measured again, failed ones are";
}

TEST(RateDevices, ACancelEndsAll)
{
    std::vector<DeviceReport> devices(2);
    devices[0].available = devices[1].available = true;
    SpeedStore store;
    int asked = 0;
    const auto cancelled = [&](const DeviceReport &) -> MachineRates {
        ++asked;
        throwCancelled();
    };
    EXPECT_THROW(rateDevices(devices, store, cancelled), Error);
    EXPECT_EQ(asked, 1);
}

} // namespace
} // namespace fireside
