// fireside-cli as others call it: forms, output, exit codes.
#include "app/settings/load_settings.h"
#include "app/settings/sampling_settings.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/golden.h"
#include "tests/support/golden_converted.h"
#include "tests/support/poison.h"
#include "tests/support/require.h"
#include "tests/support/starter.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace fireside {
namespace {

constexpr bool builtWithVulkan = FIRESIDE_VULKAN;

struct Outcome
{
    int code = -1;
    std::string out, err;
};

std::string quoted(const std::string &text)
{
    std::string result = "'";
    for (const char c : text)
        result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + '\'';
}

class CliTest : public testing::Test
{
protected:
    /// Runs a shell line in which "CLI" stands for the program.
    Outcome shell(std::string line)
    {
        for (std::size_t at; (at = line.find("CLI ")) != std::string::npos;)
            line.replace(at, 3, quoted(FIRESIDE_CLI));
        const std::string errors = (m_folder / "stderr").string();
        FILE *pipe = popen(("( " + line + " ) 2>" + errors).c_str(), "r");
        Outcome outcome;
        std::array<char, 4096> buffer;
        for (std::size_t n; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
            outcome.out.append(buffer.data(), n);
        const int status = pclose(pipe);
        outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
        std::ifstream file(errors);
        outcome.err.assign(std::istreambuf_iterator<char>(file), {});
        return outcome;
    }
    std::string file(const std::string &name, const std::string &content)
    {
        const auto path = m_folder / name;
        std::ofstream(path) << content;
        return quoted(path.string());
    }
    /// One line on standard error, nothing on standard output.
    void expectError(const Outcome &o, int code, const std::string &part)
    {
        EXPECT_EQ(o.code, code) << o.err;
        EXPECT_EQ(o.out, "");
        EXPECT_NE(o.err.find(part), std::string::npos) << o.err;
        EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
    }

    const test::TempDir m_folder;
    std::string m_starter = quoted(test::starterModel().string());
};

TEST_F(CliTest, RunPrintsOnlyTheReplyOnStandardOutput)
{
    const Outcome o =
        shell("CLI run " + m_starter + " -p 'hello' --temp 0 --backend cpu --threads 2");
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_EQ(o.out,
              "Hi! Nice to meet you. I run entirely on your own computer. How can I help?\n");
    EXPECT_NE(o.err.find("tok/s"), std::string::npos);
    EXPECT_NE(o.err.find("CPU"), std::string::npos);
}

TEST_F(CliTest, DoubtsAboutAModelAreSaid)
{
    constexpr const char *doubt = "Note: The model is made for chatting, but";
    const std::filesystem::path named = m_folder / "tiny-instruct.gguf";
    const auto golden = test::goldenConverted("qwen3");
    std::filesystem::copy_file(golden, named);
    const std::string model = quoted(named.string());
    const Outcome inspected = shell("CLI inspect " + model);
    EXPECT_NE(inspected.out.find(doubt), std::string::npos) << inspected.out.substr(0, 500);
    const auto json = nlohmann::json::parse(shell("CLI inspect --json " + model).out);
    EXPECT_EQ(json["remarks"].size(), 1u) << json["remarks"];
    const Outcome run = shell("CLI run " + model + " --backend cpu -p Hi --max-tokens 1");
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_NE(run.err.find(doubt), std::string::npos) << run.err;
    EXPECT_EQ(run.out.find(doubt), std::string::npos);
    EXPECT_EQ(shell("CLI inspect " + m_starter).out.find("Note: "), std::string::npos);
}

TEST_F(CliTest, AChatGoesOnAfterARefusal)
{
    const auto model = [this](const char *name, const std::string &source) {
        return quoted(test::starterWithTemplate(m_folder, name, source).string());
    };
    const std::string words = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}"
                              "<|im_end|>\n{% endfor %}<|im_start|>assistant\n";
    const std::string picky = model("picky", "{% for m in messages %}{% if m.content == 'bad' %}"
                                             "{{ raise_exception('no bad words') }}{% endif %}"
                                             "{% endfor %}" +
                                                 words);
    const Outcome chat = shell("printf 'hello\\nbad\\nhello\\n' | CLI chat " + picky +
                               " --backend cpu --temp 0 --max-tokens 4");
    EXPECT_EQ(chat.code, 0) << chat.err;
    EXPECT_NE(chat.err.find("no bad words"), std::string::npos) << chat.err;
    std::size_t replies = 0;
    for (std::size_t at = chat.err.find("prompt "); at != std::string::npos;
         at = chat.err.find("prompt ", at + 1))
        ++replies;
    EXPECT_EQ(replies, 2u) << chat.err;
    // Templates that take no system message, none at all, and one that fails.
    const std::string options = " --backend cpu -p hello --max-tokens 2 --system 'Be brief.'";
    const Outcome strict =
        shell("CLI run " +
              model("strict", "{% if messages[0].role == 'system' %}"
                              "{{ raise_exception('System role not supported') }}{% endif %}" +
                                  words) +
              options);
    EXPECT_EQ(strict.code, 0) << strict.err;
    const Outcome empty = shell("CLI run " + model("empty", "") + options);
    EXPECT_EQ(empty.code, 0) << empty.err;
    const Outcome failing =
        shell("CLI inspect " + model("failing", words + "{% if tools %}"
                                                        "{{ tools|no_such }}{% endif %}"));
    EXPECT_NE(failing.out.find("fails on tools"), std::string::npos) << failing.out;
}

TEST_F(CliTest, DraftsNeedTheLikeliestWords)
{
    constexpr const char *said = "--draft has no effect";
    const std::string run = "CLI run " + m_starter + " --backend cpu -p Hi --max-tokens 1";
    for (const char *command : {"run", "chat"})
        EXPECT_NE(shell("CLI " + std::string(command) + " --help").out.find("Needs --temp 0"),
                  std::string::npos);
    const Outcome warm = shell(run + " --draft 2 --temp 0.5");
    EXPECT_NE(warm.err.find(said), std::string::npos) << warm.err;
    const Outcome penalised = shell(run + " --draft 2 --temp 0 --repeat-penalty 1.2");
    EXPECT_NE(penalised.err.find(said), std::string::npos) << penalised.err;
    const Outcome none = shell(run + " --draft 0 --temp 0.5");
    EXPECT_EQ(none.err.find(said), std::string::npos) << none.err;
    const Outcome cold = shell(run + " --draft 2 --temp 0");
    EXPECT_EQ(cold.err.find(said), std::string::npos) << cold.err;
}

TEST_F(CliTest, RunEndsAfterSoManyTokens)
{
    const Outcome o = shell("CLI run " + m_starter +
                            " -p 'hello' --temp 0 --backend cpu --threads 2 --max-tokens 3");
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_NE(o.err.find("reply 3 tokens"), std::string::npos) << o.err;
}

TEST_F(CliTest, RunEndsBeforeAStopString)
{
    const Outcome o = shell("CLI run " + m_starter +
                            " -p 'hello' --temp 0 --backend cpu --threads 2 --stop 'can I' "
                            "--stop 'own computer'");
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_EQ(o.out, "Hi! Nice to meet you. I run entirely on your\n");
    EXPECT_NE(o.err.find("stop string"), std::string::npos) << o.err;
}

TEST_F(CliTest, RunKeepsTheFormThatIsAskedFor)
{
    const std::string run =
        "CLI run " + m_starter + " -p 'hello' --temp 0 --backend cpu --threads 2 ";
    const Outcome regex = shell(run + "--regex '(red|blue) [0-9]{3}'");
    EXPECT_EQ(regex.code, 0) << regex.err;
    EXPECT_EQ(regex.out.size(), std::string("red 123\n").size() + regex.out.starts_with("blue"));
    const std::string schema = R"({"type": "object", "properties": {"colour": {"enum": ["red"]}},
        "required": ["colour"], "additionalProperties": false})";
    for (const std::string &given : {quoted(schema), file("schema.json", schema)}) {
        const Outcome json = shell(run + "--json-schema " + given);
        EXPECT_EQ(json.code, 0) << json.err;
        EXPECT_EQ(nlohmann::json::parse(json.out)["colour"], "red") << json.out;
        EXPECT_NE(json.err.find("certain without asking the model"), std::string::npos) << json.err;
    }
    const Outcome gbnf =
        shell(run + "--grammar " + file("a.gbnf", "root ::= \"<\" [a-z]{4} \">\""));
    EXPECT_EQ(gbnf.code, 0) << gbnf.err;
    EXPECT_EQ(gbnf.out.size(), 7u) << gbnf.out;
    expectError(shell(run + "--json-schema '{\"items\":{\"uniqueItems\":true}}'"), 1,
                "#/items: 'uniqueItems' cannot be constrained to");
    EXPECT_NE(shell(run + "--schema-lenient --max-tokens 3 --json-schema '{\"uniqueItems\":true}'")
                  .err.find("Note: #: 'uniqueItems' is left out"),
              std::string::npos);
    expectError(shell(run + "--regex '(?=a)'"), 1, "look-around");
    EXPECT_EQ(shell(run + "--regex a --grammar b").code, 2);
}

TEST_F(CliTest, RunTakesEveryDocumentedOption)
{
    const Outcome o =
        shell("CLI run " + m_starter +
              " -p 'Once upon' --raw --temp 0.8 --top-k 20 --top-p 0.9 --min-p 0.02"
              " --repeat-penalty 1.1 --seed 5 --max-tokens 6 --backend auto --threads 1");
    EXPECT_EQ(o.code, 0) << o.err;
    const Outcome again =
        shell("CLI run " + m_starter +
              " -p 'Once upon' --raw --temp 0.8 --top-k 20 --top-p 0.9 --min-p 0.02"
              " --repeat-penalty 1.1 --seed 5 --max-tokens 6 --backend auto --threads 1");
    EXPECT_EQ(o.out, again.out);
    EXPECT_GT(o.out.size(), 3u);
    EXPECT_EQ(shell("CLI run " + m_starter + " -p x --system 'Be brief' --max-tokens 1").code, 0);
}

TEST_F(CliTest, LogitsAreTheGoldenOnes)
{
    const test::GoldenLogits golden = test::goldenLogits("q8_0");
    std::string ids;
    for (const auto id : golden.ids)
        ids += (ids.empty() ? "" : ",") + std::to_string(id);
    const std::string model = quoted(test::goldenGguf("q8_0").string());
    const Outcome all = shell("CLI logits " + model + " --tokens " + ids + " --all --backend cpu");
    ASSERT_EQ(all.code, 0) << all.err;
    const auto rows =
        nlohmann::json::parse(all.out)["logits"].get<std::vector<std::vector<float>>>();
    ASSERT_EQ(rows.size(), golden.ids.size());
    for (std::size_t t = 0; t < rows.size(); ++t)
        EXPECT_GE(test::cosineSimilarity(rows[t], golden.row(t)), 0.999) << t;

    for (const char *kv : {"f32", "f16", "q8_0"}) {
        const Outcome last = shell("CLI logits " + model + " --tokens " + ids + " --kv " + kv);
        ASSERT_EQ(last.code, 0) << last.err;
        const auto row =
            nlohmann::json::parse(last.out)["logits"].get<std::vector<std::vector<float>>>();
        ASSERT_EQ(row.size(), 1u);
        EXPECT_GE(test::cosineSimilarity(row[0], golden.row(golden.ids.size() - 1)), 0.998) << kv;
    }
}

TEST_F(CliTest, AModelThatComputesNoNumbersIsAnError)
{
    const std::filesystem::path path = m_folder / "poisoned.gguf";
    test::writePoisoned(test::goldenGguf("f16"),
                        {"blk.1.ffn_down.weight", 3, 5, std::numeric_limits<float>::infinity(), ""},
                        path);
    const std::string model = quoted(path.string()), cpu = " --backend cpu --threads 1";
    for (const char *options : {"--tokens 1,2,3", "--tokens 1,2,3 --all"})
        expectError(shell("CLI logits " + model + ' ' + options + cpu), 1, "first in layer 1");
    for (const char *options : {"--temp 0", "", "--top-k 0", "--repeat-penalty 1.2"}) {
        const Outcome o =
            shell("CLI run " + model + " -p ab --raw --max-tokens 4 " + options + cpu);
        EXPECT_EQ(o.code, 1) << options;
        EXPECT_EQ(o.out, "") << options;
        EXPECT_NE(o.err.find(path.string() + ": the model computed"), std::string::npos) << o.err;
    }
    for (const char *options : {"", "--json", "--chats 3"}) {
        const Outcome o = shell("CLI bench " + model +
                                " --prompt 8 --gen 3 --reps 1 --no-ceiling " + options + cpu);
        EXPECT_EQ(o.code, 1) << options;
        EXPECT_EQ(o.out.find("nan"), std::string::npos) << o.out;
        EXPECT_NE(o.err.find("first in layer 1"), std::string::npos) << o.err;
    }
}

TEST_F(CliTest, LogitsOfAHuggingFaceFolderAreTheGoldenOnes)
{
    const std::filesystem::path folder = test::goldenFolder("qwen3");
    const test::GoldenLogits golden = test::goldenFolderLogits(folder);
    std::string ids;
    for (const auto id : golden.ids)
        ids += (ids.empty() ? "" : ",") + std::to_string(id);
    for (const std::filesystem::path &path : {folder, folder / "config.json"}) {
        const Outcome last = shell("CLI logits " + quoted(path.string()) + " --backend cpu" +
                                   " --tokens " + ids); // it needs no tokenizer
        ASSERT_EQ(last.code, 0) << last.err;
        const auto rows =
            nlohmann::json::parse(last.out)["logits"].get<std::vector<std::vector<float>>>();
        ASSERT_EQ(rows.size(), 1u);
        EXPECT_LE(test::maxDifference(rows[0], golden.row(golden.ids.size() - 1)), 2e-4);
    }
}

/// A byte-level tokenizer without merges, as GPT-2 writes bytes: printable ones as themselves, the
/// others as U+0100 and up.
std::string byteTokenizer()
{
    nlohmann::json vocabulary;
    int next = 256;
    for (int byte = 0; byte < 256; ++byte) {
        const bool itself = (byte >= 33 && byte <= 126) || (byte >= 161 && byte != 173);
        const int code = itself ? byte : next++;
        std::string text;
        if (code >= 128)
            text.push_back(static_cast<char>(0xC0 | code >> 6));
        text.push_back(static_cast<char>(code >= 128 ? 0x80 | (code & 63) : code));
        vocabulary[text] = byte;
    }
    return nlohmann::json{
        {"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", nlohmann::json::array()}}},
        {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}}},
        {"decoder", {{"type", "ByteLevel"}}}}
        .dump();
}

TEST_F(CliTest, AHuggingFaceFolderTalks)
{
    const std::filesystem::path folder = m_folder / "model";
    std::filesystem::copy(test::goldenFolder("qwen3-moe"), folder);
    const std::string model = quoted(folder.string());
    const Outcome mute = shell("CLI run " + model + " --backend cpu --prompt hello --max-tokens 4");
    EXPECT_NE(mute.code, 0);
    EXPECT_NE(mute.err.find("holds no tokenizer.json"), std::string::npos) << mute.err;

    std::ofstream(folder / "tokenizer.json") << byteTokenizer();
    const Outcome run = shell("CLI run " + model + " --backend cpu --prompt hello --max-tokens 4");
    EXPECT_EQ(run.code, 0) << run.err;
    const Outcome inspect = shell("CLI inspect " + model);
    ASSERT_EQ(inspect.code, 0) << inspect.err;
    for (const char *text :
         {"Hugging Face folder", "qwen3moe", "BF16", "active", "self_attn.q_norm"})
        EXPECT_NE(inspect.out.find(text), std::string::npos) << inspect.out.substr(0, 300);
    const Outcome json = shell("CLI inspect --json " + model);
    EXPECT_EQ(nlohmann::json::parse(json.out)["metadata"]["model_type"], "qwen3_moe");
    std::filesystem::resize_file(folder / "model.safetensors", 100'000);
    const Outcome cut = shell("CLI run " + model + " --backend cpu --prompt hello --max-tokens 4");
    EXPECT_NE(cut.code, 0);
    EXPECT_NE(cut.err.find("model.safetensors"), std::string::npos) << cut.err;
}

TEST_F(CliTest, TokenizePrintsArraysOfIds)
{
    const Outcome text = shell("CLI tokenize " + m_starter + " --text 'Who are you?'");
    ASSERT_EQ(text.code, 0) << text.err;
    EXPECT_EQ(nlohmann::json::parse(text.out).size(), 1u);

    const std::string json =
        file("texts.json",
             R"(["<|im_start|>user\nWho are you?<|im_end|>\n<|im_start|>assistant\n", "", "é"])");
    const Outcome list = shell("CLI tokenize " + m_starter + " --json " + json + " --special");
    ASSERT_EQ(list.code, 0) << list.err;
    const auto ids = nlohmann::json::parse(list.out).get<std::vector<std::vector<int>>>();
    ASSERT_EQ(ids.size(), 3u);
    EXPECT_EQ(ids[0],
              (std::vector<int>{1, 5613, 201, 4985, 387, 307, 33, 2, 201, 1, 593, 1783, 201}));
    EXPECT_TRUE(ids[1].empty());

    const std::string folder =
        quoted(std::string(FIRESIDE_TEST_DATA) + "/golden/tokenizers/llama3");
    EXPECT_EQ(shell("CLI tokenize " + folder + " --text x").code, 0);
    EXPECT_EQ(shell("CLI tokenize " + folder + "/tokenizer.json --text x").code, 0);
}

TEST_F(CliTest, TemplateRendersFilesAndModels)
{
    const std::string context = file(
        "context.json",
        R"({"messages": [{"role": "user", "content": "Hi"}], "add_generation_prompt": true, "eos_token": "<e>"})");
    const std::string source =
        file("t.jinja", "{{ eos_token }}{{ messages[0].content }} {{ strftime_now('%d %b %Y') }}");
    const Outcome rendered =
        shell("CLI template " + source + " --context " + context + " --now 2026-11-20T12:00:00");
    EXPECT_EQ(rendered.code, 0) << rendered.err;
    EXPECT_EQ(rendered.out, "<e>Hi 20 Nov 2026");
    EXPECT_EQ(shell("CLI template " + m_starter + " --context " + context).out,
              "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
    expectError(shell("CLI template " +
                      file("r.jinja", "{{ raise_exception('roles must alternate') }}") +
                      " --context " + context),
                1, "roles must alternate");
    expectError(shell("CLI template " + file("s.jinja", "{% if %}") + " --context " + context), 1,
                "line 1");
    expectError(shell("CLI template " + source + " --context " + file("no.json", "[1]")), 1,
                "no JSON object");
}

TEST_F(CliTest, DevicesListTheLadder)
{
    const Outcome o = shell("CLI devices --json");
    ASSERT_EQ(o.code, 0) << o.err;
    const auto devices = nlohmann::json::parse(o.out);
    ASSERT_GE(devices.size(), 2u);
    EXPECT_EQ(devices[0].at("kind"), "cpu");
    EXPECT_TRUE(devices[0].at("available").get<bool>());
    for (const auto &d : devices)
        EXPECT_FALSE(d.at("reason").get<std::string>().empty());
    EXPECT_EQ(devices[1].at("kind"), "vulkan");
    EXPECT_FALSE(devices[1].at("checks").empty());
    EXPECT_EQ(shell("CLI devices ").code, 0);
}

TEST_F(CliTest, NoVulkanLoaderIsAReasonNotAFailure)
{
    const Outcome o = shell("FIRESIDE_VULKAN_LOADER=/nonexistent/libvulkan.so CLI devices --json");
    ASSERT_EQ(o.code, 0) << o.err;
    const auto devices = nlohmann::json::parse(o.out);
    EXPECT_TRUE(devices[0].at("available").get<bool>());
    EXPECT_FALSE(devices[1].at("available").get<bool>());
    const std::string reason = builtWithVulkan ? "loader" : "no Vulkan support";
    EXPECT_NE(devices[1].at("reason").get<std::string>().find(reason), std::string::npos);
    EXPECT_EQ(shell("FIRESIDE_VULKAN_LOADER=/nonexistent CLI run " + m_starter +
                    " -p hello --max-tokens 1")
                  .code,
              0);
    const Outcome forced = shell("FIRESIDE_VULKAN_LOADER=/nonexistent CLI run " + m_starter +
                                 " -p hello --backend vulkan");
    expectError(forced, 1, reason);
}

#ifdef FAKE_VULKAN_LOADER
// The driver computes nothing, and fails where it is told to (tests/vulkan/fake_loader.cpp).
TEST_F(CliTest, AReplyWhoseDeviceFailsGoesOn)
{
    const std::string driver =
        "FIRESIDE_VULKAN_LOADER=" FAKE_VULKAN_LOADER " FIRESIDE_FAKE_VULKAN=self-test ";
    const std::string run = "CLI run " + quoted(test::goldenGguf("f16").string()) +
                            " --raw -p hello --temp 0 --max-tokens 12 --context 512 --threads 2 "
                            "--device vulkan:0"; // else the CPU would take so small a model
    const Outcome whole = shell(driver + run);
    ASSERT_EQ(whole.code, 0) << whole.err;
    ASSERT_NE(whole.err.find("Running on "), std::string::npos) << whole.err;
    ASSERT_NE(whole.err.find("reply 12 tokens"), std::string::npos) << whole.err;
    int moved = 0;
    for (const char *event : {"submit", "wait"}) {
        for (int n = 2; n <= 26; n += 3) {
            const std::string when = event + std::string(" ") + std::to_string(n);
            SCOPED_TRACE(when);
            const Outcome o = shell(driver + "FIRESIDE_FAKE_LOSE='" + when + "' " + run);
            EXPECT_EQ(o.code, 0) << o.err;
            EXPECT_NE(o.err.find("reply 12 tokens"), std::string::npos) << o.err;
            const auto failed = o.err.find("A device failed in the middle of the reply: ");
            if (failed == std::string::npos)
                continue; // it failed while loading, and the CPU took all
            ++moved;
            EXPECT_EQ(o.out, whole.out);
            EXPECT_NE(o.err.find("DEVICE_LOST", failed), std::string::npos) << o.err;
            EXPECT_NE(o.err.find("Going on with all ", failed), std::string::npos) << o.err;
            EXPECT_NE(o.err.find("Opened again after it failed", failed), std::string::npos)
                << o.err;
        }
    }
    EXPECT_GE(moved, 6);
}
#endif

TEST_F(CliTest, ALimitedAddressSpaceIsAReasonNotADriverCrash)
{
#if defined(FIRESIDE_ADDRESS_SANITIZER) || defined(FIRESIDE_THREAD_SANITIZER)
    FIRESIDE_SKIP("sanitizers need the address space");
#endif
    const Outcome o = shell("ulimit -v 600000; CLI devices --json");
    ASSERT_EQ(o.code, 0) << o.err;
    const auto devices = nlohmann::json::parse(o.out);
    EXPECT_TRUE(devices[0].at("available").get<bool>());
    const std::string reason = builtWithVulkan ? "address space" : "no Vulkan support";
    EXPECT_NE(devices[1].at("reason").get<std::string>().find(reason), std::string::npos);
}

TEST_F(CliTest, InspectPrintsMetadataAndTensors)
{
    const Outcome text = shell("CLI inspect " + m_starter);
    EXPECT_EQ(text.code, 0) << text.err;
    EXPECT_NE(text.out.find("blk.7.ffn_down.weight"), std::string::npos);
    EXPECT_NE(text.out.find("general.license"), std::string::npos);
    EXPECT_NE(text.out.find("\ntokenizer byte-level BPE, "), std::string::npos);
    const Outcome json = shell("CLI inspect " + m_starter + " --json");
    const auto j = nlohmann::json::parse(json.out);
    EXPECT_EQ(j.at("tensors").size(), 74u);
    EXPECT_EQ(j.at("metadata").at("llama.block_count"), 8);
}

TEST_F(CliTest, MemoryComparesPredictedAndTaken)
{
    const Outcome json =
        shell("CLI memory " + m_starter + " --backend cpu --context 512 --threads 2 --json");
    ASSERT_EQ(json.code, 0) << json.err;
    const auto j = nlohmann::json::parse(json.out);
    EXPECT_EQ(j.at("context"), 512);
    ASSERT_EQ(j.at("devices").size(), 1u);
    const auto &cpu = j.at("devices")[0];
    for (const char *purpose : {"weights", "context", "states", "scratch"})
        EXPECT_EQ(cpu.at(purpose).at("predicted"), cpu.at(purpose).at("taken")) << purpose;
    // 8 layers of 4 heads with 64 numbers, twice, of 2 bytes.
    EXPECT_EQ(cpu.at("context").at("taken"), 512 * 8 * 4 * 64 * 2 * 2);
    const double planned = cpu.at("total").at("predicted"), taken = cpu.at("total").at("taken");
    EXPECT_NEAR(taken / planned, 1, 0.03);
    const Outcome text = shell("CLI memory " + m_starter + " --backend cpu --context 512");
    EXPECT_NE(text.out.find("predicted"), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("all 8 layers on the CPU, a context of 512 tokens in F16"),
              std::string::npos)
        << text.out;
    expectError(shell("CLI memory no-such-file.gguf"), 1, "no-such-file.gguf");
}

TEST_F(CliTest, PlacementOptionsAreFollowedOrRefused)
{
    const std::string run = "CLI memory " + m_starter + " --context 256 ";
    expectError(shell(run + "--device =8"), 2, "'=8' is not like vulkan:0=8-0.5");
    expectError(shell(run + "--device vulkan:0=many"), 2, "vulkan:0=8-0.5");
    expectError(shell(run + "--device vulkan:0=8-"), 2, "vulkan:0=8-0.5");
    expectError(shell(run + "--layers -2"), 2, "--layers");
    expectError(shell(run + "--expert-layers -2"), 2, "--expert-layers");
    EXPECT_EQ(shell(run + "--expert-layers 2").code, 0) << "a model without experts";
    expectError(shell(run + "--device cpu=0.001"), 1, "only 1.0 MB of RAM");
    EXPECT_EQ(shell(run + "--device cpu=4").code, 0);
    EXPECT_EQ(shell(run + "--device nowhere --fastest").code, 0);
    expectError(shell(run + "--layers 4 --device nowhere --strict"), 1, "cannot be met");
}

TEST_F(CliTest, MeasureTriesEveryPlace)
{
    const Outcome o = shell("CLI measure " + m_starter + " --context 256 --threads 2 --json");
    ASSERT_EQ(o.code, 0) << o.err;
    const auto j = nlohmann::json::parse(o.out);
    ASSERT_FALSE(j.at("placements").empty());
    const auto &cpu = j.at("placements").back();
    EXPECT_EQ(cpu.at("placement"), "the CPU");
    EXPECT_EQ(cpu.at("problem"), "");
    EXPECT_GT(cpu.at("measured").at("generate"), 0);
    EXPECT_GT(cpu.at("measured").at("prompt"), 0);
    for (const auto &each : j.at("placements")) // a device is measured, or it says why not
        EXPECT_EQ(each.at("measured").is_null(), each.at("problem") != "") << each;
    EXPECT_NE(j.at("reason").get<std::string>().find("Running on"), std::string::npos);
    expectError(shell("CLI measure no-such-file.gguf"), 1, "no-such-file.gguf");
}

TEST_F(CliTest, UsageErrorsExitWith2)
{
    expectError(shell("CLI run "), 2, "MODEL");
    expectError(shell("CLI run " + m_starter), 2, "--prompt");
    expectError(shell("CLI frobnicate "), 2, "frobnicate");
    expectError(shell("CLI logits " + m_starter + " --tokens 1 --what"), 2, "--what");
    expectError(shell("CLI run " + m_starter + " -p x --threads -3"), 2, "--threads");
    EXPECT_EQ(shell("CLI --help").code, 0);
    EXPECT_EQ(shell("CLI --version").code, 0);
    EXPECT_EQ(shell("CLI run --help").code, 0);
}

TEST_F(CliTest, NumbersBeyondTheirRangeExitWith2)
{
    const auto check = [&]<typename Group>(const Group &defaults) {
        for (const auto &setting : Group::table()) {
            const SettingValue value = setting.read(defaults);
            const bool isNumber = std::holds_alternative<double>(value) ||
                                  std::holds_alternative<std::int64_t>(value);
            if (!*setting.option || !isNumber)
                continue;
            const std::string option = setting.option;
            const std::string tooLow = std::to_string(std::min(setting.low, 0.0) - 2);
            for (const char *wild :
                 {tooLow.c_str(), "-1e300", "+9.3e18", "+99999999999999999999", "nan", "many"})
                expectError(shell("CLI run " + m_starter + " -p x " + option + ' ' + wild), 2,
                            option);
        }
    };
    check(LoadSettings());
    check(PlacementSettings());
    check(SamplingSettings());
    const std::string help = shell("CLI run --help").out;
    for (const auto &setting : SamplingSettings::table())
        EXPECT_NE(help.find(setting.option), std::string::npos) << setting.option;
    for (const auto &setting : PlacementSettings::table())
        EXPECT_NE(help.find(setting.option), std::string::npos) << setting.option;
}

TEST_F(CliTest, TheUsersMistakesExitWith1)
{
    expectError(shell("CLI run /nonexistent.gguf -p x"), 1, "/nonexistent.gguf");
    expectError(shell("CLI run " + m_starter + " -p x --backend cuda"), 1,
                "unsupported backend 'cuda'");
    expectError(shell("CLI run " + m_starter + " -p x --kv q3"), 1, "unsupported cache type 'q3'");
    expectError(shell("CLI run " + file("text.gguf", "this is no model at all") + " -p x"), 1,
                "text.gguf");
    expectError(shell("CLI run " + file("empty.gguf", "") + " -p x"), 1, "empty.gguf");
    expectError(shell("CLI logits " + m_starter + " --tokens 1,,2"), 1, "1,,2");
    expectError(shell("CLI logits " + m_starter + " --tokens 99999"), 1, "99999");
    expectError(shell("CLI tokenize " + m_starter + " --json /nonexistent.json"), 1,
                "/nonexistent.json");

    test::GgufBuilder other;
    other.string("general.architecture", "rwkv7");
    other.tensor("x.weight", DType::F32, {32});
    other.write(m_folder / "rwkv7.gguf");
    expectError(shell("CLI run " + quoted((m_folder / "rwkv7.gguf").string()) + " -p x"), 1,
                "not supported: architecture 'rwkv7'");
}

TEST_F(CliTest, AFileWithoutPermissionIsNamed)
{
    const std::string path = file("secret.gguf", "GGUF");
    std::filesystem::permissions(m_folder.path(), std::filesystem::perms(0755)); // others reach it
    std::filesystem::permissions(m_folder / "secret.gguf", std::filesystem::perms::none);
    std::string user;
    if (geteuid() == 0) { // root reads everything: be nobody for this
        user = "setpriv --reuid=65534 --regid=65534 --clear-groups ";
        if (shell(user + "CLI --version").code != 0)
            FIRESIDE_SKIP("root reads everything, and nobody may not run the program here");
    }
    expectError(shell(user + "CLI run " + path + " -p x"), 1, "secret.gguf");
}

TEST_F(CliTest, TooLittleMemoryIsAnErrorWithNumbers)
{
#if defined(FIRESIDE_ADDRESS_SANITIZER) || defined(FIRESIDE_THREAD_SANITIZER)
    FIRESIDE_SKIP("sanitizers need the address space");
#endif
    for (const int kilobytes : {60000, 100000, 200000}) {
        const Outcome o = shell("ulimit -v " + std::to_string(kilobytes) + "; CLI run " +
                                m_starter + " -p hello --max-tokens 2 --temp 0 --threads 2");
        SCOPED_TRACE(std::to_string(kilobytes) + " kB: " + o.err);
        EXPECT_TRUE(o.code == 0 || o.code == 1 || o.code == 127)
            << o.code; // 127: not even the loader fits
        if (o.code == 1) {
            EXPECT_NE(o.err.find("fireside-cli: "), std::string::npos);
        }
    }
    // A cache that no address space of 900 MB holds: refused, with what was needed.
    std::vector<std::byte> bytes = test::readFile(test::goldenGguf("q4_0"));
    const std::string_view key = "llama.context_length";
    const auto at = std::search(bytes.begin(), bytes.end(), key.begin(), key.end(),
                                [](std::byte b, char c) { return b == std::byte(c); });
    ASSERT_NE(at, bytes.end());
    const auto value = at + static_cast<std::ptrdiff_t>(key.size()) + 4; // behind the type id
    value[2] = std::byte{0x10};                                          // 2^20 tokens and some
    test::writeFile(m_folder / "long.gguf", bytes);
    expectError(shell("ulimit -v 900000; CLI logits " + quoted((m_folder / "long.gguf").string()) +
                      " --tokens 1 --context 1048576 --backend cpu"),
                1, " MB");
}

} // namespace
} // namespace fireside
