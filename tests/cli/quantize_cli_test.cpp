// fireside-cli quantize: what it writes, what it says, and how much memory it takes.
#include "engine/files/gguf_writer.h"
#include "engine/files/new_file.h"
#include "tests/cli/cli_process.h"
#include "tests/support/golden.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fireside {
namespace {

class QuantizeCliTest : public testing::Test
{
protected:
    /// Standard output and error together, and the status.
    std::pair<std::string, int> cli(const std::string &arguments)
    {
        return test::runCli(arguments);
    }
    std::vector<float> logits(const std::string &model)
    {
        const auto [out, code] =
            cli("logits '" + model + "' --tokens 300,17,401,44 --backend cpu --threads 1");
        EXPECT_EQ(code, 0) << out;
        return nlohmann::json::parse(out).at("logits").at(0).get<std::vector<float>>();
    }

    test::TempDir m_folder;
    const std::string m_source = test::goldenGguf("f16").string();
    const std::string m_target = (m_folder / "out.gguf").string();
};

TEST_F(QuantizeCliTest, WritesAModelThatLoads)
{
    const auto [text, code] =
        cli("quantize '" + m_source + "' '" + m_target + "' --type q4_k_m --threads 2");
    EXPECT_EQ(code, 0) << text;
    EXPECT_NE(text.find("bits for each weight"), std::string::npos) << text;
    EXPECT_GT(test::cosineSimilarity(logits(m_source), logits(m_target)), 0.9);
    const auto [again, refused] = cli("quantize '" + m_source + "' '" + m_target + "' --type Q8_0");
    EXPECT_EQ(refused, 1);
    EXPECT_NE(again.find("exists already"), std::string::npos) << again;
    EXPECT_EQ(cli("quantize '" + m_source + "' '" + m_target + "' --type Q8_0 --force").second, 0);
    EXPECT_GT(test::cosineSimilarity(logits(m_source), logits(m_target)), 0.999);
    const std::string twice = "quantize '" + m_target + "' '" + m_target + "2' --type Q4_0";
    EXPECT_EQ(cli(twice).second, 1);
    EXPECT_EQ(cli(twice + " --allow-requantize").second, 0);
}

TEST_F(QuantizeCliTest, AFolderBecomesAFileOfTheSameWeights)
{
    const std::string folder = test::goldenFolder("qwen3").string();
    const auto [text, code] = cli("quantize '" + folder + "' '" + m_target + "' --type copy");
    EXPECT_EQ(code, 0) << text;
    const std::string tokens = "' --tokens 5,17,38 --backend cpu --threads 1";
    EXPECT_EQ(cli("logits '" + m_target + tokens), cli("logits '" + folder + tokens));
}

TEST_F(QuantizeCliTest, WrongUseIsRefused)
{
    const auto [text, code] = cli("quantize '" + m_source + "' '" + m_target + "' --type Q9");
    EXPECT_EQ(code, 1);
    EXPECT_NE(text.find("unknown quantisation 'Q9' (Q8_0, Q6_K"), std::string::npos) << text;
    EXPECT_EQ(cli("quantize '" + m_source + "' '" + m_target + "'").second, 2);
    EXPECT_EQ(cli("quantize '" + m_source + "' '" + m_target + "' --type Q8_0 --threads -1").second,
              2);
    EXPECT_FALSE(std::filesystem::exists(m_target));
}

/// Runs the program; the most memory it took, in kB.
long memoryOf(std::vector<std::string> arguments)
{
    std::vector<char *> words;
    for (std::string &argument : arguments)
        words.push_back(argument.data());
    words.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
        execv(FIRESIDE_CLI, words.data());
        _exit(127);
    }
    int status = -1;
    rusage used{};
    wait4(child, &status, 0, &used);
    EXPECT_EQ(status, 0);
    return used.ru_maxrss;
}

/// The model of a file with tensors of another size, all of them holes; as large as it says.
std::string writeHollow(const Gguf &from, const std::string &path, const char *tensor,
                        std::size_t dimension, std::uint64_t size)
{
    GgufWriter out;
    for (std::size_t i = 0; i < from.metadata().size(); ++i) {
        const std::string_view key = from.metadata()[i].first;
        if (key == "llama.feed_forward_length" && dimension != 1)
            out.u32(key, static_cast<std::uint32_t>(size));
        else
            out.raw(key, from.rawMetadata()[i]);
    }
    for (const GgufTensor &t : from.tensors()) {
        std::array<std::uint64_t, 4> dims = t.dims;
        const bool large = t.name.find(tensor) != std::string_view::npos && t.rank == 2;
        if (large)
            dims[t.name.find("ffn_down") != std::string_view::npos ? 0 : 1] = size;
        out.tensor(t.name, large ? DType::F32 : *t.dtype,
                   std::span(dims).first(static_cast<std::size_t>(t.rank)));
    }
    {
        NewFile file(path, NewFile::Existing::Refuse);
        out.writeHeader(file);
        file.keep();
    }
    std::filesystem::resize_file(path, out.fileBytes());
    return path;
}

TEST_F(QuantizeCliTest, LoadingTakesTheMemoryOfTheResult)
{
    // Six matrices of 42 MB, which become 47 MB in all.
    const std::string large =
        writeHollow(Gguf::open(m_source), (m_folder / "wide.gguf").string(), "ffn_", 0, 40960);
    EXPECT_GT(std::filesystem::file_size(large), 250'000'000u);
    const std::vector<std::string> load{
        "fireside-cli", "logits",    large, "--tokens",  "1",  "--backend",
        "cpu",          "--threads", "2",   "--context", "256"};
    std::vector<std::string> quantized = load;
    quantized.insert(quantized.end(), {"--quantize", "q5_k_m"});
    EXPECT_LT(memoryOf(quantized), 190'000);
    EXPECT_GT(memoryOf(load), 230'000); // else the bound says nothing
}

TEST_F(QuantizeCliTest, MemoryDoesNotGrowWithTheModel)
{
    // An embedding of 205 MB, all of it a hole in the file.
    const std::string large = writeHollow(Gguf::open(m_source), (m_folder / "large.gguf").string(),
                                          "token_embd", 1, 200'000);
    const long kilobytes =
        memoryOf({"fireside-cli", "quantize", large, m_target, "--type", "Q8_0", "--threads", "2"});
    EXPECT_GT(std::filesystem::file_size(m_target), 54'000'000u);
    EXPECT_LT(kilobytes, 100'000);
}

/// Starts the program, and interrupts it when it says how far it is.
int interrupted(std::vector<std::string> arguments)
{
    std::vector<char *> words;
    for (std::string &argument : arguments)
        words.push_back(argument.data());
    words.push_back(nullptr);
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe(ends.data()), 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        execv(FIRESIDE_CLI, words.data());
        _exit(127);
    }
    close(ends[1]);
    for (char c = 0; c != '%' && read(ends[0], &c, 1) == 1;) { // the first tenth is done
    }
    kill(child, SIGINT);
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    close(ends[0]);
    return status;
}

TEST_F(QuantizeCliTest, AnInterruptLeavesWhatWasThere)
{
    const std::string large = writeHollow(Gguf::open(m_source), (m_folder / "large.gguf").string(),
                                          "token_embd", 1, 800'000);
    std::vector<std::string> asked{"fireside-cli", "quantize", large,       m_target,
                                   "--type",       "Q4_K_M",   "--threads", "1"};
    for (const bool replaces : {false, true}) {
        if (replaces) {
            std::ofstream(m_target) << "precious";
            asked.emplace_back("--force");
        }
        const int status = interrupted(asked);
        EXPECT_FALSE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
        const std::filesystem::directory_iterator files(m_folder.path());
        EXPECT_EQ(std::distance(begin(files), end(files)), replaces ? 2 : 1);
        if (replaces) {
            EXPECT_EQ(std::filesystem::file_size(m_target), 8u);
        }
    }
}

} // namespace
} // namespace fireside
