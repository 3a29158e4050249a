#include "engine/core/error.h"
#include "tests/generate/grown_cache.h"
#include "tests/support/fake_device.h"
#include "tests/support/golden.h"

namespace fireside {
namespace {

using namespace test;

TEST(CacheGrowthTest, AsOneThatWasLargeFromTheBeginning)
{
    const ModelFixture model(goldenGguf("f16"));
    for (const DType type : {DType::F32, DType::F16, DType::Q8_0})
        expectGrownAsWhole(model, type);
}

TEST(CacheGrowthTest, LayerByLayerWhereThereIsNoRoomForBoth)
{
    const auto script = std::make_shared<DeviceScript>();
    const std::shared_ptr<Device> device = fakeDevice(openCpu({.threads = 1}), fakeCard(), script);
    const ModelFixture model(goldenGguf("f16"), [&] { return device; });
    const auto noRoom = [&](int times) {
        script->fail({.at = DeviceScript::At::Allocate, .kind = ErrorKind::Memory, .times = times});
    };
    expectGrownAsWhole(model, DType::F16, [&] { noRoom(1); });

    const auto full = model.session(2000, DType::F16), other = model.session(2000, DType::F16);
    const std::vector<TokenId> ids = chatIds(model, 258, 2);
    logitsAfter(*full, std::span(ids).first(256));
    logitsAfter(*other, std::span(ids).first(256));
    const std::size_t bytes = full->kvBytes();
    noRoom(1000);
    EXPECT_THROW(logitsAfter(*full, std::span(ids).subspan(256, 1)), Error);
    script->forget();
    EXPECT_EQ(full->kvBytes(), bytes) << "it is as it was";
    const auto next = std::span(ids).subspan(256);
    EXPECT_EQ(logitsAfter(*full, next), logitsAfter(*other, next)) << "and grows when it can";
}

} // namespace
} // namespace fireside
