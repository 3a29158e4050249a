// /v1/rerank: what a small reranker, whose words are "w3" to "w319", says to queries and documents.
#include "engine/generate/embedder.h"
#include "tests/server/server_fixture.h"
#include "tests/support/golden.h"
#include "tests/support/require.h"
#include "tests/support/temp_dir.h"

#include <cmath>
#include <filesystem>
#include <fstream>

namespace fireside {
namespace {

using nlohmann::json;

struct Reranker
{
    const char *folder;
    const char *begin, *end;          // as their tokenizers call them
    TokenId first, last;              // their ids
    std::vector<TokenId> betweenBoth; // of query and document
};

const std::vector<Reranker> kRerankers{{"reranker-xlm-roberta", "<s>", "</s>", 0, 2, {2, 2}},
                                       {"reranker-modernbert", "[CLS]", "[SEP]", 1, 2, {2}}};

/// The golden folder with a tokenizer beside it.
void writeModel(const Reranker &reranker, const std::filesystem::path &from,
                const std::filesystem::path &to)
{
    for (const char *file : {"config.json", "model.safetensors"})
        std::filesystem::copy_file(from / file, to / file);
    json vocabulary = json::object(), added = json::array();
    for (int id = 0; id < 320; ++id) {
        const std::string text = id == reranker.first  ? reranker.begin
                                 : id == reranker.last ? reranker.end
                                                       : "w" + std::to_string(id);
        vocabulary[text] = id;
        if (id == reranker.first || id == reranker.last)
            added.push_back({{"id", id},
                             {"content", text},
                             {"single_word", false},
                             {"lstrip", false},
                             {"rstrip", false},
                             {"normalized", false},
                             {"special", true}});
    }
    const json tokenizer{
        {"version", "1.0"},
        {"added_tokens", added},
        {"normalizer", nullptr},
        {"pre_tokenizer", {{"type", "WhitespaceSplit"}}},
        {"post_processor",
         {{"type", "BertProcessing"},
          {"cls", {reranker.begin, reranker.first}},
          {"sep", {reranker.end, reranker.last}}}},
        {"decoder", nullptr},
        {"model", {{"type", "WordLevel"}, {"vocab", vocabulary}, {"unk_token", "w5"}}}};
    std::ofstream(to / "tokenizer.json") << tokenizer;
}

TEST(RerankTest, ScoresAreThoseOfThePairs)
{
    for (const Reranker &reranker : kRerankers) {
        SCOPED_TRACE(reranker.folder);
        const auto golden = test::goldenFolder(reranker.folder);
        const test::TempDir folder;
        writeModel(reranker, golden, folder.path());
        const test::RunningServer server(test::strictApi(), 64, folder.path());
        httplib::Client client = server.client();
        const auto post = [&](const json &body, int status) {
            const auto answer = client.Post("/v1/rerank", body.dump(), "application/json");
            EXPECT_TRUE(answer);
            EXPECT_EQ(answer->status, status) << answer->body;
            return json::parse(answer->body, nullptr, false);
        };
        json body{{"model", "starter"},
                  {"query", "w10 w200"},
                  {"documents", {"w40", "w7 w8 w9", {{"text", "w300 w301"}}, "w40"}}};
        const json answer = post(body, 200);
        const std::vector<std::vector<TokenId>> documents{{40}, {7, 8, 9}, {300, 301}, {40}};
        const Embedder embedder(server.model().model(), 64);
        ASSERT_EQ(answer["results"].size(), documents.size()) << answer;
        std::size_t tokens = 0;
        double before = 1;
        for (const json &result : answer["results"]) {
            std::vector<TokenId> pair{reranker.first, 10, 200};
            pair.insert(pair.end(), reranker.betweenBoth.begin(), reranker.betweenBoth.end());
            const std::vector<TokenId> &document = documents.at(result["index"].get<std::size_t>());
            pair.insert(pair.end(), document.begin(), document.end());
            pair.push_back(reranker.last);
            tokens += pair.size();
            const std::vector<std::vector<TokenId>> alone{pair};
            const double logit = embedder.embed(alone, EmbeddingForm::Score)[0][0];
            EXPECT_NEAR(result["relevance_score"].get<double>(), 1 / (1 + std::exp(-logit)), 1e-5);
            EXPECT_LE(result["relevance_score"].get<double>(), before);
            before = result["relevance_score"].get<double>();
            EXPECT_FALSE(result.contains("document"));
        }
        EXPECT_EQ(answer["usage"]["total_tokens"], tokens);
        body["top_n"] = 1;
        body["return_documents"] = true;
        const json best = post(body, 200)["results"];
        ASSERT_EQ(best.size(), 1u);
        EXPECT_EQ(best[0]["index"], answer["results"][0]["index"]);
        EXPECT_TRUE(best[0]["document"]["text"].is_string());

        const auto refused = [&](const char *name, const json &value) {
            json wrong = body;
            wrong[name] = value;
            return post(wrong, 400)["error"]["param"];
        };
        EXPECT_EQ(refused("query", 5), "query");
        EXPECT_EQ(refused("query", nullptr), "query");
        EXPECT_EQ(refused("documents", "w1"), "documents");
        EXPECT_EQ(refused("documents", json::array()), "documents");
        EXPECT_EQ(refused("documents", {"w9", 5}), "documents[1]");
        EXPECT_EQ(refused("documents", {{{"title", "x"}}}), "documents[0].text");
        EXPECT_EQ(refused("top_n", 0), "top_n");
        EXPECT_EQ(refused("return_documents", 1), "return_documents");
        EXPECT_EQ(refused("rank_fields", {"x"}), "rank_fields");
        std::string longer;
        for (int i = 0; i < 200; ++i)
            longer += "w9 ";
        EXPECT_EQ(refused("documents", {"w9", longer}), "documents[1]");
    }
}

TEST(RerankTest, OtherModelsSayWhatTheyLack)
{
    const test::RunningServer server;
    const auto answer = server.client().Post(
        "/v1/rerank", R"({"model":"starter","query":"a","documents":["b"]})", "application/json");
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 400);
    EXPECT_NE(answer->body.find("no reranker"), std::string::npos) << answer->body;
}

} // namespace
} // namespace fireside
