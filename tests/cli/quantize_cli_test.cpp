// fireside-cli quantize: what it writes, what it says, and how much memory it takes.
#include "engine/files/gguf_writer.h"
#include "engine/files/new_file.h"
#include "tests/support/golden.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cstdio>
#include <filesystem>
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
        FILE *pipe = popen(("'" FIRESIDE_CLI "' " + arguments + " 2>&1").c_str(), "r");
        std::string out;
        std::array<char, 4096> buffer;
        for (std::size_t n; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
            out.append(buffer.data(), n);
        const int status = pclose(pipe);
        return {out, WIFEXITED(status) ? WEXITSTATUS(status) : -1};
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

TEST_F(QuantizeCliTest, MemoryDoesNotGrowWithTheModel)
{
    // An embedding of 205 MB, all of it a hole in the file.
    const Gguf from = Gguf::open(m_source);
    GgufWriter out;
    for (std::size_t i = 0; i < from.metadata().size(); ++i)
        out.raw(from.metadata()[i].first, from.rawMetadata()[i]);
    for (const GgufTensor &t : from.tensors()) {
        std::array<std::uint64_t, 4> dims = t.dims;
        const bool embedding = t.name == "token_embd.weight";
        if (embedding)
            dims[1] = 200'000;
        out.tensor(t.name, embedding ? DType::F32 : *t.dtype,
                   std::span(dims).first(static_cast<std::size_t>(t.rank)));
    }
    const std::string large = (m_folder / "large.gguf").string();
    {
        NewFile file(large, NewFile::Existing::Refuse);
        out.writeHeader(file);
        file.keep();
    }
    std::filesystem::resize_file(large, out.fileBytes());

    const pid_t child = fork();
    if (child == 0) {
        execl(FIRESIDE_CLI, FIRESIDE_CLI, "quantize", large.c_str(), m_target.c_str(), "--type",
              "Q8_0", "--threads", "2", static_cast<char *>(nullptr));
        _exit(127);
    }
    int status = -1;
    rusage used{};
    wait4(child, &status, 0, &used);
    EXPECT_EQ(status, 0);
    EXPECT_GT(std::filesystem::file_size(m_target), 54'000'000u);
    EXPECT_LT(used.ru_maxrss, 100'000); // kB
}

} // namespace
} // namespace fireside
