// A model with a broken weight ends the reply with an error; what came before stays.
#include "engine_fixture.h"
#include "tests/support/golden.h"
#include "tests/support/golden_converted.h"
#include "tests/support/poison.h"

#include <limits>

namespace fireside::test {
namespace {

class PoisonedWorkerTest : public EngineTest
{
protected:
    QString reply(qint64 id)
    {
        ReplyJob all = job(id, kQuestion, 200);
        service.reply(all);
        EXPECT_TRUE(waitForReply(id));
        return textOf(id);
    }

    const QString kQuestion = QStringLiteral("hello");
};

TEST_F(PoisonedWorkerTest, theTextStaysAndTheErrorNamesTheFile)
{
    const auto whole = goldenConverted("qwen3");
    ASSERT_TRUE(load(QString::fromStdString(whole.string())));
    const QString said = reply(1);
    ASSERT_EQ(finished.size(), 1) << qPrintable(failed.value(0).value(1).toString());
    // The first printable byte that comes for the first time: its token's embedding is broken.
    // Letters and digits are parts of longer tokens.
    qsizetype at = 3;
    const auto fits = [&](QChar c) {
        return c.unicode() > 32 && c.unicode() < 127 && !c.isLetterOrNumber() &&
               said.indexOf(c) == at && !QStringLiteral("<|>_").contains(c);
    };
    while (at < said.size() && !fits(said[at]))
        ++at;
    ASSERT_LT(at, said.size()) << qPrintable(said);
    constexpr std::size_t kFirstByte = 3; // of the vocabulary; before it are three marks
    const std::filesystem::path path =
        std::filesystem::path(newFolder().toStdString()) / "poisoned.gguf";
    writePoisoned(whole,
                  {"token_embd.weight", kFirstByte + said[at].unicode(), 1,
                   std::numeric_limits<float>::quiet_NaN(), ""},
                  path);

    ASSERT_TRUE(load(QString::fromStdString(path.string())));
    const QString kept = reply(2);
    ASSERT_EQ(failed.size(), 1);
    const QString error = failed.first().at(1).toString();
    EXPECT_TRUE(error.contains(QString::fromStdString(path.string()))) << qPrintable(error);
    EXPECT_TRUE(error.contains(QStringLiteral("first in the embeddings"))) << qPrintable(error);
    EXPECT_EQ(kept, said.left(at + 1));
    EXPECT_EQ(service.state(), EngineState::Ready);
}

} // namespace
} // namespace fireside::test
