#include "engine/movable_model.h"
#include "tests/support/golden.h"
#include "tests/support/require.h"
#include "tests/support/temp_dir.h"
#include "tests/vulkan/lavapipe.h"

#include <fcntl.h>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

// A model's file that is cut, deleted, replaced, or lies on a disk that fails, while it is loaded
// and while it answers: the reply ends with the reason or whole, and the next load works.
namespace fireside {
namespace {

namespace fs = std::filesystem;

/// Reading what is mapped of the file fails from here on, as when its disk does: empty pages of
/// another file take the place of all pages but the first.
void failDisk(const fs::path &path, const fs::path &empty)
{
    std::ofstream(empty).close();
    const int file = ::open(empty.c_str(), O_RDONLY | O_CLOEXEC);
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        if (!line.ends_with(path.string()))
            continue;
        std::uintptr_t begin = 0, end = 0;
        ASSERT_EQ(std::sscanf(line.c_str(), "%lx-%lx", &begin, &end), 2);
        const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
        if (end - begin <= page)
            continue;
        void *const from = reinterpret_cast<void *>(begin + page);
        ASSERT_EQ(::mmap(from, end - begin - page, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, 0),
                  from);
    }
    ::close(file);
}

class FileFaultsTest : public testing::TestWithParam<BackendKind>
{
protected:
    void SetUp() override
    {
        if (GetParam() != BackendKind::Vulkan)
            return;
        if (!m_lavapipe.present())
            FIRESIDE_SKIP("lavapipe is not installed (apt install mesa-vulkan-drivers)");
        m_driver = m_lavapipe.select();
    }
    struct Fault
    {
        const char *name;
        std::function<void()> happen;
        const char *words; // of the error
    };
    std::vector<Fault> faults()
    {
        const char *const changed = "the model file changed on disk: ";
        return {{"cut", [this] { fs::resize_file(m_path, 20000); }, changed},
                {"cut to nothing", [this] { fs::resize_file(m_path, 0); }, changed},
                {"deleted", [this] { fs::remove(m_path); }, changed},
                {"replaced",
                 [this] {
                     fs::remove(m_path);
                     fs::copy_file(test::goldenGguf("q4_k"), m_path);
                 },
                 changed},
                {"unreadable", [this] { failDisk(m_path, m_folder / "empty"); },
                 "the model file could not be read from its disk: "}};
    }
    void load(MovableModel &model, const LoadProgress &progress = {})
    {
        fs::remove(m_path);
        fs::copy_file(test::goldenGguf("f16"), m_path);
        model.load(m_path, {.backend = GetParam(), .context = 512, .threads = 2}, progress);
    }
    /// The text so far, and the error.
    std::pair<std::string, std::string> reply(MovableModel &model,
                                              const std::function<void()> &then)
    {
        std::pair<std::string, std::string> got;
        GenerateRequest request;
        for (TokenId id = 0; id < 30; ++id)
            request.prompt.push_back(40 + id);
        request.maxTokens = 12;
        request.sampler.temperature = 0;
        GenerateEvents events;
        int pieces = 0;
        events.text = [&](std::string_view text, const GenerateStats &) {
            got.first += text;
            if (++pieces == 2 && then)
                then();
        };
        try {
            model.reply(request, events);
        } catch (const Error &error) {
            EXPECT_EQ(error.kind(), ErrorKind::Io) << error.what();
            got.second = error.what();
        }
        return got;
    }

    const test::TempDir m_folder;
    const fs::path m_path = m_folder / "model.gguf";
    Engine m_engine;

private:
    test::Lavapipe m_lavapipe;
    std::unique_ptr<test::Lavapipe::Selection> m_driver;
};

TEST_P(FileFaultsTest, DuringAReply)
{
    MovableModel model(m_engine);
    load(model);
    const auto [whole, fine] = reply(model, {});
    ASSERT_EQ(fine, "");
    const std::vector<Fault> all = faults();
    const std::size_t step = GetParam() == BackendKind::Cpu ? 1 : all.size() - 1; // it is slow
    for (std::size_t i = 0; i < all.size(); i += step) {
        const Fault &fault = all[i];
        SCOPED_TRACE(fault.name);
        load(model);
        const auto [text, error] = reply(model, fault.happen);
        EXPECT_FALSE(text.empty());
        EXPECT_TRUE(whole.starts_with(text)) << text;
        // Where all weights lie on the card, a disk that fails is not noticed.
        if (error.empty() && GetParam() == BackendKind::Vulkan &&
            std::string(fault.name) == "unreadable") {
            EXPECT_EQ(text, whole);
        } else {
            EXPECT_EQ(error, fault.words + m_path.string());
        }
    }
    load(model);
    EXPECT_EQ(reply(model, {}).first, whole);
}

TEST_P(FileFaultsTest, DuringALoad)
{
    MovableModel model(m_engine);
    for (const Fault &fault : faults())
        for (const char *const when : {"looking at the devices", "opening the device",
                                       "making room for weights", "loading weights"}) {
            SCOPED_TRACE(std::string(fault.name) + " when " + when);
            bool done = false;
            try {
                load(model, [&](const char *stage, double) {
                    if (std::string_view(stage) == when && !std::exchange(done, true))
                        fault.happen();
                });
                // What was read before need not be read again.
                EXPECT_STREQ(fault.name, "unreadable");
                reply(model, {});
            } catch (const Error &error) {
                EXPECT_EQ(error.kind(), ErrorKind::Io);
                EXPECT_EQ(error.what(), fault.words + m_path.string());
            }
            EXPECT_TRUE(done);
        }
    load(model);
    EXPECT_EQ(reply(model, {}).second, "");
}

INSTANTIATE_TEST_SUITE_P(On, FileFaultsTest, testing::Values(BackendKind::Cpu, BackendKind::Vulkan),
                         [](const auto &tested) { return std::string(toString(tested.param)); });

} // namespace
} // namespace fireside
