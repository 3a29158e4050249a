#include "app/server/either_stop.h"
#include "app/server/error_answer.h"
#include "app/server/openai_requests.h"
#include "app/server/prompt_size.h"
#include "app/server/random_id.h"
#include "app/server/server.h"
#include "engine/generate/embedder.h"

#include <algorithm>
#include <cmath>

namespace fireside::server {
namespace {

constexpr std::size_t kMostDocuments = 1000;

/// Strings, or objects that hold one as "text".
std::vector<std::string> documentsOf(Parameters &p)
{
    const json &list = p.require("documents");
    if (!list.is_array() || list.empty() || list.size() > kMostDocuments)
        p.refuse("documents", "a list of 1 to " + std::to_string(kMostDocuments) + " texts");
    std::vector<std::string> documents;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const std::string where = "documents[" + std::to_string(i) + "]";
        if (list[i].is_string()) {
            documents.push_back(list[i].get<std::string>());
            continue;
        }
        if (!list[i].is_object())
            throw ApiError(400, where + " must be a string or {\"text\": …}", where);
        Parameters document(list[i], where);
        document.require("text");
        documents.push_back(document.text("text").value());
        document.finish();
    }
    return documents;
}

/// Query and document in one sequence, framed as their tokenizer frames one text. Models in the way
/// of RoBERTa, whose texts end with </s>, want that twice between them: <s> A </s></s> B </s>, not
/// [CLS] A [SEP] B [SEP].
class Pairs
{
public:
    Pairs(const Tokenizer &tokenizer, const std::string &query)
        : m_tokenizer(tokenizer)
        , m_first(tokenizer.encode(MarkedText::fromUser(query), true))
        , m_frame(tokenizer.encode({}, true))
    {
        if (m_frame.size() < 2)
            throw ApiError(
                400, "this model's tokenizer does not frame texts, so that they cannot be paired",
                "model");
        if (tokenizer.bytes(m_frame.back(), true) == "</s>")
            m_first.push_back(m_frame.back());
    }
    std::vector<TokenId> with(const std::string &document) const
    {
        const std::vector<TokenId> second =
            m_tokenizer.encode(MarkedText::fromUser(document), true);
        std::vector<TokenId> pair = m_first;
        pair.insert(pair.end(), second.begin() + 1, second.end());
        return pair;
    }

private:
    const Tokenizer &m_tokenizer;
    std::vector<TokenId> m_first;
    const std::vector<TokenId> m_frame;
};

/// The best first; of equals as they came.
std::vector<std::size_t> order(const std::vector<double> &scores)
{
    std::vector<std::size_t> order(scores.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
    return order;
}

} // namespace

void Server::rerank(const Request &request, Response &response)
{
    const json body = parsedBody(request.body);
    const ModelDesk::Use use = modelOf(body);
    const LoadedModel &model = use.served().model;
    Parameters p(body);
    requireModel(p, use.served());
    p.require("query");
    const std::string query = p.text("query").value();
    const std::vector<std::string> documents = documentsOf(p);
    const auto top = p.integer("top_n", 1, 1 << 30);
    const bool returned = p.boolean("return_documents").value_or(false);
    p.ignore("user");
    p.finish();

    const Embedder embedder(model.model(), model.context());
    if (embedder.formFor({}) != EmbeddingForm::Score)
        throw ApiError(400, "this model has no head that scores: it is no reranker", "model");
    if (model.model().config().tokenTypes > 1)
        throw ApiError(400,
                       "this reranker tells query and document apart by token types, which are not "
                       "supported",
                       "model");
    checkPromptBytes(query.size(), static_cast<std::size_t>(model.context()), model.tokenizer(),
                     "query");
    const Pairs pairs(model.tokenizer(), query);
    std::vector<std::vector<TokenId>> sequences;
    std::size_t tokens = 0;
    for (std::size_t i = 0; i < documents.size(); ++i) {
        const std::string where = "documents[" + std::to_string(i) + "]";
        checkPromptBytes(documents[i].size(), static_cast<std::size_t>(model.context()),
                         model.tokenizer(), where);
        sequences.push_back(pairs.with(documents[i]));
        const std::size_t size = sequences.back().size();
        tokens += size;
        if (static_cast<std::int64_t>(size) > embedder.mostTokens())
            throw ApiError(400,
                           where + " with the query has " + std::to_string(size) +
                               " tokens, the model takes " + std::to_string(embedder.mostTokens()),
                           where, "context_length_exceeded");
    }
    std::vector<double> scores;
    {
        const std::lock_guard lock(m_embedding);
        const EitherStop stop(use.ending(), m_end.get_token());
        for (const auto &one : embedder.embed(sequences, EmbeddingForm::Score, stop.token()))
            scores.push_back(1 / (1 + std::exp(-static_cast<double>(one.front()))));
    }
    json results = json::array();
    for (const std::size_t i : order(scores)) {
        if (top && results.size() == static_cast<std::size_t>(*top))
            break;
        results.push_back({{"index", i}, {"relevance_score", scores[i]}});
        if (returned)
            results.back()["document"] = {{"text", documents[i]}};
    }
    response.set_content(dumped({{"id", randomId("rerank-")},
                                 {"object", "list"},
                                 {"model", use.served().id},
                                 {"results", std::move(results)},
                                 {"usage", {{"prompt_tokens", tokens}, {"total_tokens", tokens}}}}),
                         kJson);
}

} // namespace fireside::server
