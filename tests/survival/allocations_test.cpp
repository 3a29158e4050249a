#include "engine/movable_model.h"
#include "tests/cli/cli_process.h"
#include "tests/support/golden.h"
#include "tests/support/require.h"
#include "tests/support/seed.h"
#include "tests/survival/failing_new.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

// Memory runs out at any allocation between opening a file and the last word of a reply, and stays
// so: the reply is whole, or there is an error, and when there is memory again the next reply is
// whole. In child processes, so that one that ends tells where. FIRESIDE_FAULT_EVERY=N tries every
// Nth allocation (1: all of them).
namespace fireside {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kTokens = 8;
constexpr long kSample = 300;
constexpr std::chrono::seconds kLongest{60}; // of one reply

/// What children and the parent both see.
struct Shared
{
    long current = 0; // the allocation that fails
    long whole = 0, outOfMemory = 0, errors = 0, untouched = 0;
    char problem[400] = {};
};

GenerateRequest request()
{
    GenerateRequest request;
    for (TokenId id = 0; id < 20; ++id)
        request.prompt.push_back(40 + id);
    request.maxTokens = kTokens;
    request.sampler.temperature = 0;
    return request;
}

std::vector<TokenId> speak(MovableModel &model)
{
    GenerateEvents events;
    std::string text;
    events.text = [&](std::string_view piece, const GenerateStats &) { text += piece; };
    return model.reply(request(), events).tokens;
}

/// Which part of the work allocations fail in.
enum class During { Load, Reply };

class AllocationsTest : public testing::Test
{
protected:
    AllocationsTest()
        : m_shared(static_cast<Shared *>(::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                                                MAP_SHARED | MAP_ANONYMOUS, -1, 0)))
    {
        new (m_shared) Shared;
    }
    ~AllocationsTest() override { ::munmap(m_shared, sizeof(Shared)); }

    static LoadOptions options()
    {
        return {.backend = BackendKind::Cpu, .context = 512, .threads = 2};
    }
    void load(MovableModel &model) const { model.load(m_file, options()); }

    /// How many allocations there are, and the reply that is whole.
    long measure(During during)
    {
        Engine engine;
        MovableModel model(engine);
        if (during == During::Load)
            test::failNew(0);
        load(model);
        if (during == During::Reply)
            test::failNew(0);
        else
            m_calls = test::newCalls();
        m_whole = speak(model);
        if (during == During::Reply)
            m_calls = test::newCalls();
        return m_calls;
    }

    /// In the child: what the nth failure leads to.
    void tryOne(During during, long nth) const
    {
        Engine engine;
        MovableModel model(engine);
        std::optional<std::string> error;
        bool memory = false;
        std::vector<TokenId> tokens;
        if (during == During::Reply)
            load(model);
        test::failNew(nth);
        try {
            if (during == During::Load)
                load(model);
            else
                tokens = speak(model);
        } catch (const std::bad_alloc &) {
            memory = true;
        } catch (const Error &e) {
            error = e.what();
        }
        const bool failed = test::newFailed();
        test::failNew(0);
        ++(!failed  ? m_shared->untouched
           : memory ? m_shared->outOfMemory
           : error  ? m_shared->errors
                    : m_shared->whole);
        if (during == During::Reply && !memory && !error && tokens != m_whole)
            return complain("a reply that differs", nth);
        // Whatever it was, it passes.
        if (memory || error) {
            if (during == During::Load)
                load(model);
            else if (Session *const session = model.session())
                session->truncate(0);
            else
                load(model);
        }
        if (speak(model) != m_whole)
            complain("the next reply differs", nth);
    }
    void complain(const char *what, long nth) const
    {
        std::snprintf(m_shared->problem, sizeof m_shared->problem, "%s after allocation %ld failed",
                      what, nth);
    }

    /// Children that work through the places until one ends; `from` goes on behind it.
    void sweep(During during)
    {
        const long calls = measure(during);
        const char *const asked = std::getenv("FIRESIDE_FAULT_EVERY");
        const long step = std::clamp(asked != nullptr ? std::atol(asked) : calls / kSample, 1L,
                                     std::max(1L, calls));
        long from = 1 + static_cast<long>(test::generator()() % static_cast<unsigned long>(step));
        long ended = 0;
        while (from <= calls) {
            const pid_t child = ::fork();
            if (child == 0) {
                for (long n = from; n <= calls && m_shared->problem[0] == '\0'; n += step) {
                    m_shared->current = n;
                    ::alarm(static_cast<unsigned>(kLongest.count()));
                    try {
                        tryOne(during, n);
                    } catch (const std::exception &e) {
                        complain(e.what(), n);
                    }
                }
                std::_Exit(0);
            }
            int status = 0;
            ::waitpid(child, &status, 0);
            EXPECT_STREQ(m_shared->problem, "");
            if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
                break;
            ++ended;
            ADD_FAILURE() << "the program ended with status " << status << " (signal "
                          << (WIFSIGNALED(status) ? WTERMSIG(status) : 0) << ") when allocation "
                          << m_shared->current << " of " << calls << " failed";
            if (ended >= 20)
                break;
            from = m_shared->current + step;
        }
        std::printf("%ld allocations: %ld out of memory, %ld other errors, %ld whole all the same, "
                    "%ld not reached, %ld ended the program\n",
                    calls, m_shared->outOfMemory, m_shared->errors, m_shared->whole,
                    m_shared->untouched, ended);
        EXPECT_GT(m_shared->outOfMemory + m_shared->whole + m_shared->errors, 0);
    }

private:
    const std::filesystem::path m_file = test::goldenGguf("f16");
    Shared *m_shared;
    long m_calls = 0;
    std::vector<TokenId> m_whole;
};

TEST_F(AllocationsTest, AnyFailsDuringALoad)
{
    sweep(During::Load);
}

TEST_F(AllocationsTest, AnyFailsDuringAReply)
{
    sweep(During::Reply);
}

/// A program that may not map as much as it likes: it says so, whatever the limit.
TEST(AddressSpaceTest, AnyLimitIsAnAnswerOrAnError)
{
#if defined(FIRESIDE_ADDRESS_SANITIZER) || defined(FIRESIDE_THREAD_SANITIZER)
    FIRESIDE_SKIP("sanitizers need the address space");
#endif
    const std::string run = "run '" + test::goldenGguf("f16").string() +
                            "' --raw -p hello --temp 0 --max-tokens 4 --context 512 --threads 2";
    const char *const asked = std::getenv("FIRESIDE_FAULT_EVERY");
    const long step = asked != nullptr ? std::max(1L, std::atol(asked)) * 2000 : 4000; // KiB
    int whole = 0, errors = 0;
    const auto offset = static_cast<long>(test::generator()() % static_cast<unsigned long>(step));
    for (long limit = 40000 + offset; limit < 200000; limit += step) {
        const auto [out, status] =
            test::runCli(run, "ulimit -v " + std::to_string(limit) + "; exec");
        const bool started = out.find("error while loading shared libraries") == std::string::npos;
        if (!started)
            continue;
        EXPECT_TRUE(status == 0 || status == 1)
            << limit << " KiB: status " << status << ", " << out;
        ++(status == 0 ? whole : errors);
        if (status == 1) {
            EXPECT_TRUE(out.find("memory") != out.npos || out.find("RAM") != out.npos)
                << limit << " KiB: " << out;
        }
    }
    std::printf("%d replies, %d errors\n", whole, errors);
    EXPECT_GT(whole, 0);
}

} // namespace
} // namespace fireside
