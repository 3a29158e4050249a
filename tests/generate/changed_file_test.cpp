// A model file that changes under a reply: every way to an answer ends with the reason.
#include "engine/core/error.h"
#include "engine/engine.h"
#include "tests/support/starter.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <functional>

namespace fireside {
namespace {

namespace fs = std::filesystem;

class ChangedModelTest : public testing::Test
{
protected:
    void copyModel()
    {
        fs::copy_file(test::starterModel(), m_path, fs::copy_options::overwrite_existing);
        fs::permissions(m_path, fs::perms::owner_write, fs::perm_options::add);
    }
    std::shared_ptr<const LoadedModel> load()
    {
        copyModel();
        return m_engine.load(m_path, {.backend = BackendKind::Cpu, .context = 256, .threads = 1});
    }
    void cut() { fs::resize_file(m_path, 1 << 20); }
    void expectChanged(const std::function<void()> &body, const std::string &what)
    {
        try {
            body();
            ADD_FAILURE() << what << ": no error";
        } catch (const Error &e) {
            EXPECT_EQ(e.kind(), ErrorKind::Io) << what;
            EXPECT_EQ(e.what(), "the model file changed on disk: " + m_path.string()) << what;
        }
    }

    test::TempDir m_folder;
    fs::path m_path = m_folder / "model.gguf";
    Engine m_engine;
};

TEST_F(ChangedModelTest, AReplyKeepsItsTextAndEndsWithTheReason)
{
    const auto model = load();
    const auto session = model->newSession();
    GenerateRequest request;
    request.prompt = model->tokenizer().encode(MarkedText::trusted("Once upon a time"), true);
    request.sampler.temperature = 0;
    request.maxTokens = 40;
    for (const bool sampled : {false, true}) {
        if (sampled) {
            copyModel();
            request.sampler.temperature = 1;
            request.sampler.topK = 0;
            request.sampler.seed = 3;
        }
        const auto fresh = sampled ? load() : model;
        const auto chat = fresh->newSession();
        std::string text;
        int pieces = 0, after = 0;
        GenerateEvents events;
        events.text = [&](std::string_view piece, const GenerateStats &) {
            text += piece;
            after += pieces >= 2;
            if (++pieces == 2)
                cut();
        };
        expectChanged([&] { generate(*chat, fresh->tokenizer(), request, events); }, "generate");
        EXPECT_FALSE(text.empty());
        EXPECT_EQ(after, 0) << "text made of damaged weights: " << text;
    }
}

TEST_F(ChangedModelTest, EveryWayOfComputingTellsIt)
{
    const auto model = load();
    const auto vocabulary = static_cast<std::size_t>(model->model().config().vocabulary);
    const std::vector<TokenId> ids(5, 7), one{7};
    const std::vector<TokenId> two{7, 8};
    std::vector<float> logits(vocabulary), all;
    std::array<Candidate, 4> best{};
    std::vector<std::vector<float>> rows;
    const std::array<std::unique_ptr<Session>, 2> sessions{model->newSession(),
                                                           model->newSession()};
    const std::array<Session *, 2> both{sessions[0].get(), sessions[1].get()};
    const std::vector<std::pair<std::string, std::function<void()>>> ways{
        {"append", [&] { both[0]->append(ids, logits); }},
        {"append one", [&] { both[0]->append(one, logits); }},
        {"appendAll", [&] { both[0]->appendAll(ids, all); }},
        {"appendGreedy", [&] { both[0]->appendGreedy(ids); }},
        {"appendTop", [&] { both[0]->appendTop(ids, best); }},
        {"appendBatch", [&] { appendBatch(both, two, rows); }},
        {"appendBatchGreedy", [&] { appendBatchGreedy(both, two); }}};
    for (const auto &[name, way] : ways)
        EXPECT_NO_THROW(way()) << name;
    cut();
    for (const auto &[name, way] : ways)
        expectChanged(way, name);
}

TEST_F(ChangedModelTest, AllChunksOfAPromptAreLookedAt)
{
    const auto model = load();
    const auto session = model->newSession();
    const std::vector<TokenId> ids(static_cast<std::size_t>(model->model().maxRows()) + 1, 7);
    std::vector<float> logits(static_cast<std::size_t>(model->model().config().vocabulary));
    ASSERT_LT(ids.size(), 300u);
    int chunks = 0;
    const auto big = m_engine.load(m_path, {.backend = BackendKind::Cpu, .context = 600});
    const auto chat = big->newSession();
    expectChanged(
        [&] {
            chat->append(ids, logits, [&](int) {
                if (++chunks == 1)
                    cut();
            });
        },
        "append");
    EXPECT_EQ(chunks, 1);
    cut();
    expectChanged([&] { session->append(ids, logits); }, "a first chunk without output");
    EXPECT_TRUE(session->tokens().empty());
}

TEST_F(ChangedModelTest, OtherChangesCountToo)
{
    const std::vector<TokenId> ids(3, 7);
    for (const bool remove : {true, false}) {
        const auto model = load();
        std::vector<float> logits(static_cast<std::size_t>(model->model().config().vocabulary));
        const auto session = model->newSession();
        EXPECT_NO_THROW(session->append(ids, logits));
        fs::remove(m_path);
        if (!remove)
            fs::copy_file(test::starterModel(), m_path);
        expectChanged([&] { session->append(ids, logits); }, remove ? "removed" : "replaced");
    }
}

TEST_F(ChangedModelTest, CutWhileItLoads)
{
    for (const char *const when : {"looking at the devices", "making room for weights",
                                   "loading weights", "reading the vocabulary"}) {
        copyModel();
        bool done = false;
        expectChanged(
            [&] {
                m_engine.load(m_path, {.backend = BackendKind::Cpu},
                              [&](const char *stage, double) {
                                  if (!done && std::string_view(stage) == when) {
                                      done = true;
                                      cut();
                                  }
                              });
            },
            when);
        EXPECT_TRUE(done) << when;
    }
}

TEST_F(ChangedModelTest, AStoppedReplyIsNoFault)
{
    const auto model = load();
    const auto session = model->newSession();
    std::vector<float> logits(static_cast<std::size_t>(model->model().config().vocabulary));
    std::stop_source stop;
    stop.request_stop();
    cut();
    try {
        session->append(std::vector<TokenId>(3, 7), logits, {}, stop.get_token());
        FAIL();
    } catch (const Error &e) {
        EXPECT_EQ(e.kind(), ErrorKind::Cancelled);
    }
}

} // namespace
} // namespace fireside
