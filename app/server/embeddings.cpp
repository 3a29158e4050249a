#include "app/server/either_stop.h"
#include "app/server/openai_requests.h"
#include "app/server/prompt_size.h"
#include "app/server/server.h"
#include "engine/generate/embedder.h"

#include <bit>

namespace fireside::server {
namespace {

constexpr std::size_t kMostInputs = 2048;

std::string base64(std::span<const float> values)
{
    static_assert(std::endian::native == std::endian::little);
    constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const auto *bytes = reinterpret_cast<const unsigned char *>(values.data());
    const std::size_t size = values.size_bytes();
    std::string text;
    for (std::size_t i = 0; i < size; i += 3) {
        unsigned bits = 0;
        for (std::size_t k = 0; k < 3; ++k)
            bits = bits << 8 | (i + k < size ? bytes[i + k] : 0u);
        for (std::size_t k = 0; k < 4; ++k)
            text += i + k <= size ? kDigits[bits >> (18 - 6 * k) & 63] : '=';
    }
    return text;
}

std::vector<TokenId> tokensOf(const json &input, const LoadedModel &model)
{
    if (input.is_string()) {
        std::string text = input.get<std::string>();
        checkPromptBytes(text.size(), static_cast<std::size_t>(model.context()), model.tokenizer(),
                         "input");
        return model.tokenizer().encode(MarkedText::fromUser(std::move(text)), true);
    }
    std::vector<TokenId> ids;
    if (input.is_array())
        for (const json &id : input) {
            if (!id.is_number_integer() || id < 0 || id >= model.model().config().vocabulary)
                throw ApiError(400, "input: a token id is outside the vocabulary", "input");
            ids.push_back(id.get<TokenId>());
        }
    if (ids.empty())
        throw ApiError(400, "input must be texts or lists of token ids", "input");
    return ids;
}

} // namespace

void Server::embeddings(const Request &request, Response &response)
{
    const json body = parsedBody(request.body);
    const ModelDesk::Use use = modelOf(body);
    const LoadedModel &model = use.served().model;
    Parameters p(body);
    requireModel(p, use.served());
    const json &input = p.require("input");
    const std::string encoding = p.text("encoding_format").value_or("float");
    if (encoding != "float" && encoding != "base64")
        p.refuse("encoding_format", "float or base64");
    const auto dimensions = p.integer("dimensions", 1, 1 << 20);
    p.ignore("user");
    p.finish();

    std::vector<std::vector<TokenId>> sequences;
    if (!input.is_array() || (!input.empty() && input.front().is_number()))
        sequences.push_back(tokensOf(input, model));
    else if (input.empty() || input.size() > kMostInputs)
        p.refuse("input", "of 1 to " + std::to_string(kMostInputs) + " entries");
    else
        for (const json &one : input)
            sequences.push_back(tokensOf(one, model));
    const Embedder embedder(model.model(), model.context());
    std::size_t tokens = 0;
    for (const auto &sequence : sequences) {
        tokens += sequence.size();
        if (static_cast<std::int64_t>(sequence.size()) > embedder.mostTokens())
            throw ApiError(400,
                           "an input has " + std::to_string(sequence.size()) +
                               " tokens, the model takes " + std::to_string(embedder.mostTokens()),
                           "input", "context_length_exceeded");
    }
    const EmbeddingForm form = embedder.formFor({});
    if (form == EmbeddingForm::Score || form == EmbeddingForm::Rows)
        throw ApiError(400, "this model gives no vectors of whole texts", "model");
    std::string notes; // what is guessed about the vectors
    for (const std::string &remark : vectorRemarks(model.model(), form, false, &model.tokenizer()))
        notes += (notes.empty() ? "" : " ") + remark;
    if (!notes.empty())
        response.set_header("x-fireside-note", notes);
    std::vector<std::vector<float>> vectors;
    {
        const std::lock_guard lock(m_embedding);
        const EitherStop stop(use.ending(), m_end.get_token());
        vectors = embedder.embed(sequences, form, stop.token());
    }
    json data = json::array();
    for (std::size_t i = 0; i < vectors.size(); ++i) {
        normalizeLength(vectors[i]);
        if (dimensions && static_cast<std::size_t>(*dimensions) != vectors[i].size())
            p.refuse("dimensions", std::to_string(vectors[i].size()) + ", as the model has");
        data.push_back(
            {{"object", "embedding"},
             {"index", i},
             {"embedding", encoding == "float" ? json(vectors[i]) : json(base64(vectors[i]))}});
    }
    response.set_content(dumped({{"object", "list"},
                                 {"model", use.served().id},
                                 {"data", std::move(data)},
                                 {"usage", {{"prompt_tokens", tokens}, {"total_tokens", tokens}}}}),
                         "application/json");
}

} // namespace fireside::server
