// Doubts about how a model's text is read: good files raise none, each doubt has its sentence.
#include "engine/files/model_file.h"
#include "engine/text/remarks.h"
#include "tests/support/golden.h"
#include "tests/support/golden_converted.h"
#include "tests/support/require.h"
#include "tests/support/safetensors_builder.h"
#include "tests/support/starter.h"
#include "tests/text/tokenizer_builder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace fireside {
namespace {

namespace fs = std::filesystem;
using namespace test;

constexpr const char *kTemplate = "tokenizer.chat_template";
constexpr const char *kChatMl =
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}";

class Remarks : public testing::Test
{
protected:
    /// All of them, a line each.
    static std::string of(const ModelFile &file)
    {
        std::string all;
        for (const std::string &remark : textRemarks(file))
            all += remark + '\n';
        return all;
    }
    std::string of(const GgufBuilder &file, const std::string &name = "model.gguf")
    {
        file.write(m_folder / name);
        return of(ModelFile::open(m_folder / name));
    }
    /// Of a folder with this tokenizer.json and template.
    std::string ofFolder(const std::string &tokenizer, const std::string &chatTemplate)
    {
        writeText(m_folder / "config.json", R"({"model_type": "llama"})");
        SafetensorsBuilder().zeros("w", "F32", {1}, 4).write(m_folder / "model.safetensors");
        writeText(m_folder / "tokenizer.json", tokenizer);
        writeText(m_folder / "chat_template.jinja", chatTemplate);
        return of(ModelFile::open(m_folder.path()));
    }
    static GgufBuilder chatMl(std::int32_t startType)
    {
        BpePieces pieces;
        if (startType > 0)
            pieces.add("<|im_start|>", startType);
        return pieces.builder().string(kTemplate, kChatMl);
    }

    const TempDir m_folder;
};

bool holds(const std::string &text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

TEST_F(Remarks, ARuleThatIsMissingOrUnknownIsSaid)
{
    BpePieces pieces;
    EXPECT_EQ(of(pieces.builder()), "");
    pieces.pre = "default"; // what a file says is no guess
    EXPECT_EQ(of(pieces.builder()), "");
    pieces.pre = "";
    EXPECT_TRUE(holds(of(pieces.builder()), "does not name the rule"));
    pieces.pre = "no-such-rule";
    const std::string unknown = of(pieces.builder());
    EXPECT_TRUE(holds(unknown, "'no-such-rule'")) << unknown;
    EXPECT_EQ(std::count(unknown.begin(), unknown.end(), '\n'), 1) << unknown;
    EXPECT_TRUE(unknown.ends_with(".\n"));
    EXPECT_TRUE(
        holds(of(piecesGguf("gpt2", pieces.texts, pieces.types)), "does not name the rule"));
    EXPECT_EQ(of(SpmPieces().builder()), ""); // has no such rules
}

TEST_F(Remarks, MarkersThatAreNoTokensAreNamed)
{
    EXPECT_EQ(of(chatMl(3)), "");
    EXPECT_EQ(of(chatMl(4)), "");      // user-defined ones are looked for as well
    for (const int missing : {0, 1}) { // not there, or an ordinary token
        const std::string remark = of(chatMl(missing));
        EXPECT_TRUE(holds(remark, "<|im_start|>, which is no token")) << remark;
        EXPECT_FALSE(holds(remark, "<|im_end|>")) << remark;
    }
    // Named by its id where the file has no types.
    BpePieces pieces;
    pieces.add("<|im_start|>", 1);
    EXPECT_EQ(
        of(pieces.builder().string(kTemplate, kChatMl).u32("tokenizer.ggml.bos_token_id", 259)),
        "");
    // Other families' markers, and words in brackets that are text.
    const std::string other =
        of(BpePieces().builder().string(kTemplate, "<start_of_turn>{{ messages[0].content }}<tools>"
                                                   "< | ><\xEF\xBD\x9CUser\xEF\xBD\x9C><|turn>"));
    for (const char *marker : {"<start_of_turn>", "<\xEF\xBD\x9CUser\xEF\xBD\x9C>", "<|turn>"})
        EXPECT_TRUE(holds(other, marker)) << other;
    EXPECT_FALSE(holds(other, "tools")) << other;
}

TEST_F(Remarks, OnlyWhatTheTemplateWritesCounts)
{
    // Asked for, but not written: other systems' markers in conditions are usual.
    EXPECT_EQ(of(BpePieces().builder().string(
                  kTemplate, "{% if '<|im_start|>' in messages[0].content %}a{% endif %}b")),
              "");
    // Written only after a system message was refused.
    const std::string refusing = of(BpePieces().builder().string(
        kTemplate, "{% if messages[0].role == 'system' %}{{ raise_exception('no') }}{% endif %}"
                   "<|odd|>"));
    EXPECT_TRUE(holds(refusing, "<|odd|>")) << refusing;
    // One that refuses every chat writes nothing.
    EXPECT_FALSE(holds(
        of(BpePieces().builder().string(kTemplate, "<|odd|>{{ raise_exception('no') }}")), "odd"));
}

TEST_F(Remarks, TemplatesThatFailAreFoundBeforeAChat)
{
    const auto remark = [this](const std::string &source) {
        return of(BpePieces().builder().string(kTemplate, source));
    };
    const std::string words = "{% for m in messages %}{{ m.content }}{% endfor %}";
    EXPECT_EQ(remark(words), "");
    const std::string plain = remark("{{ messages[0].content|no_such_filter }}");
    EXPECT_TRUE(holds(plain, "does not take a plain question")) << plain;
    EXPECT_TRUE(holds(plain, "no filter named 'no_such_filter'")) << plain;
    EXPECT_TRUE(holds(remark("{% if messages[0].content is string %}"
                             "{{ raise_exception('parts only') }}{% endif %}"),
                      "does not take a plain question (parts only)"));
    EXPECT_TRUE(holds(remark("{# nothing #}"), "writes nothing for a plain question"));
    EXPECT_TRUE(holds(remark(words + "{% if messages|length > 1 and messages[1].content|odd %}"
                                     "{% endif %}"),
                      "fails after the first reply"));
    for (const char *tools : {"{% if tools %}{{ tools|no_such_filter }}{% endif %}",
                              "{% for m in messages %}{% if m.tool_calls %}"
                              "{{ m.tool_calls|no_such_filter }}{% endif %}{% endfor %}"})
        EXPECT_TRUE(holds(remark(words + tools), "fails on tools (The chat template failed"));
    // What it refuses on purpose is told in other words.
    EXPECT_EQ(remark(words + "{% if tools %}{{ raise_exception('no tools') }}{% endif %}"), "");
    EXPECT_EQ(remark("{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}"
                     "{{ raise_exception('alternate') }}{% endif %}{{ m.content }}{% endfor %}"),
              "");
}

TEST_F(Remarks, AnEmptyTemplateCountsAsMissing)
{
    for (const char *empty : {"", " \n"})
        EXPECT_TRUE(
            holds(of(BpePieces().builder().string(kTemplate, empty)), "hold no chat template"));
}

TEST_F(Remarks, ChatModelsNeedATemplate)
{
    constexpr const char *said = "hold no chat template";
    EXPECT_EQ(of(BpePieces().builder().string("general.name", "Tiny base, italic")), "");
    EXPECT_TRUE(holds(of(BpePieces().builder().string("general.name", "Tiny-4b-it")), said));
    EXPECT_TRUE(holds(of(BpePieces().builder().string("general.finetune", "Instruct")), said));
    EXPECT_TRUE(holds(of(BpePieces().builder().strings(
                          "general.tags", std::vector<std::string>{"llm", "conversational"})),
                      said));
    EXPECT_TRUE(holds(of(BpePieces().builder(), "tiny-Chat-q4_k_m.gguf"), said));
    const std::string broken = of(BpePieces().builder().string(kTemplate, "{% if %}"));
    EXPECT_TRUE(holds(broken, "cannot be used (")) << broken;
    EXPECT_EQ(std::count(broken.begin(), broken.end(), '\n'), 1) << broken;
}

TEST_F(Remarks, FoldersNameTheirTokensInTokenizerJson)
{
    const std::string added =
        R"({"added_tokens": [{"id": 1, "content": "<|im_end|>"}, {"id": 2, "content": )";
    EXPECT_EQ(ofFolder(added + R"("<|im_start|>"}], "model": {}})", kChatMl), "");
    // What stands behind the list is not even read.
    EXPECT_EQ(ofFolder(added + R"("<|im_start|>"}], "model")", kChatMl), "");
    const std::string one =
        ofFolder(added + R"("<|start|>"}], "model": {"vocab": {"<|im_start|>": 3}}})", kChatMl);
    EXPECT_TRUE(holds(one, "<|im_start|>, which is")) << one;
    const std::string both =
        ofFolder(R"({"model": {"added_tokens": [{"content": "<|im_end|>"}]}})", kChatMl);
    EXPECT_TRUE(holds(both, "<|im_start|> and <|im_end|>, which are no tokens")) << both;
    // Broken files are errors where the tokenizer is made.
    for (const char *broken : {"", "[", R"({"added_tokens": [{"content": "x)"})
        EXPECT_EQ(ofFolder(broken, kChatMl), "") << broken;
    fs::remove(m_folder / "tokenizer.json");
    EXPECT_EQ(of(ModelFile::open(m_folder.path())), "");
}

TEST_F(Remarks, BrokenKeysAreNoRemarks)
{
    EXPECT_EQ(of(BpePieces().builder().u32(kTemplate, 3)), "");
    GgufBuilder noRule;
    noRule.string("tokenizer.ggml.model", "gpt2").u32("tokenizer.ggml.pre", 3);
    EXPECT_EQ(of(noRule), "");
    EXPECT_EQ(of(BpePieces()
                     .builder()
                     .string(kTemplate, kChatMl)
                     .string("tokenizer.ggml.eot_token_id", "x")),
              "");
    EXPECT_EQ(of(GgufBuilder().string(kTemplate, kChatMl)), ""); // no vocabulary at all
}

TEST_F(Remarks, GoodFilesHaveNone)
{
    EXPECT_EQ(of(ModelFile::open(starterModel())), "");
    for (const std::string &name : goldenFolderNames())
        EXPECT_EQ(of(ModelFile::open(goldenFolder(name))), "") << name;
    for (const std::string &name : goldenConvertedNames())
        EXPECT_EQ(of(ModelFile::open(goldenConverted(name))), "") << name;
    for (const std::string &name : goldenGgufNames())
        EXPECT_EQ(of(ModelFile::open(goldenGguf(name))), "") << name;
}

TEST_F(Remarks, RealVocabulariesHaveNone)
{
    const fs::path folder = fs::path(FIRESIDE_SHARED_DATA) / "golden/gguf-vocab";
    if (!fs::exists(folder))
        FIRESIDE_SKIP("real vocabularies are not here: " + folder.string());
    int files = 0;
    for (const fs::directory_entry &entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() != ".gguf")
            continue;
        EXPECT_EQ(of(ModelFile::open(entry.path())), "") << entry.path();
        ++files;
    }
    EXPECT_GT(files, 2);
}

TEST_F(Remarks, IdsThatAreNoTokensAreSaidToBeIgnored)
{
    const std::string remark = of(chatMl(3)
                                      .u32("tokenizer.ggml.padding_token_id", 0xffffffff)
                                      .i32("tokenizer.ggml.mask_token_id", 9999));
    EXPECT_TRUE(holds(remark, "tokenizer.ggml.padding_token_id is -1")) << remark;
    EXPECT_TRUE(holds(remark, "tokenizer.ggml.mask_token_id is 9999")) << remark;
    EXPECT_FALSE(holds(of(chatMl(3).u32("tokenizer.ggml.padding_token_id", 1)), "ignored"));
}

TEST_F(Remarks, ALastTokenThatEndsNoTextIsSaid)
{
    BpePieces pieces;
    pieces.add("<|end|>", 3);
    for (const bool ends : {true, false}) {
        const auto tokenizer = openGguf(pieces.builder()
                                            .u32("tokenizer.ggml.eos_token_id", 259)
                                            .boolean("tokenizer.ggml.add_eos_token", ends));
        EXPECT_EQ(endTokenRemark(*tokenizer).has_value(), !ends);
    }
}

TEST_F(Remarks, AVocabularyWithoutRowsIsAProblemBeforeLoading)
{
    BpePieces().builder().write(m_folder / "model.gguf");
    const ModelFile file = ModelFile::open(m_folder / "model.gguf");
    EXPECT_EQ(textProblemOf(file, 259).value_or("none"), "none");
    EXPECT_EQ(textProblemOf(file, 258).value_or("none"),
              "the vocabulary has 259 entries, the embedding 258");
    GgufBuilder()
        .string("general.architecture", "llama")
        .tensor("w", DType::F32, {8})
        .write(m_folder / "mute.gguf");
    const std::string mute =
        textProblemOf(ModelFile::open(m_folder / "mute.gguf"), 8).value_or("none");
    EXPECT_TRUE(holds(mute, "tokenizer.ggml.model")) << mute;
}

TEST_F(Remarks, RealTemplatesDoNotFitIntoAForeignVocabulary)
{
    const fs::path folder = fs::path(FIRESIDE_SHARED_DATA) / "golden/chat-templates";
    if (!fs::exists(folder))
        FIRESIDE_SKIP("real chat templates are not here: " + folder.string());
    for (const auto &[name, marker] :
         {std::pair("Qwen-Qwen3-0.6B", "<|im_start|>"),
          std::pair("openai-gpt-oss-120b", "<|message|>"),
          std::pair("microsoft-Phi-3.5-mini-instruct", "<|assistant|>")}) {
        std::ifstream in(folder / (std::string(name) + ".jinja"), std::ios::binary);
        std::stringstream text;
        text << in.rdbuf();
        const std::string remark = of(BpePieces().builder().string(kTemplate, text.str()));
        EXPECT_TRUE(holds(remark, marker)) << name << ": " << remark;
    }
}

} // namespace
} // namespace fireside
