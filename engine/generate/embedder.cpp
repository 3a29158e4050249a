#include "engine/generate/embedder.h"

#include "engine/core/error.h"
#include "engine/generate/session.h"
#include "engine/model/embedding_remarks.h"
#include "engine/text/remarks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>

namespace fireside {
namespace {

struct FormWord
{
    std::string_view word;
    EmbeddingForm form;
};
constexpr std::array kForms{
    FormWord{"mean", EmbeddingForm::Mean}, FormWord{"cls", EmbeddingForm::First},
    FormWord{"last", EmbeddingForm::Last}, FormWord{"none", EmbeddingForm::Rows},
    FormWord{"rank", EmbeddingForm::Score}};

constexpr std::size_t kMostItems = 256; // of one pass

Pooling poolingOf(EmbeddingForm form)
{
    return form == EmbeddingForm::First  ? Pooling::First
           : form == EmbeddingForm::Last ? Pooling::Last
                                         : Pooling::Mean;
}

std::vector<float> pooledRows(std::span<const float> rows, std::size_t hidden, EmbeddingForm form)
{
    if (form == EmbeddingForm::Rows)
        return {rows.begin(), rows.end()};
    if (form != EmbeddingForm::Mean) {
        const auto row = form == EmbeddingForm::First ? rows.first(hidden) : rows.last(hidden);
        return {row.begin(), row.end()};
    }
    std::vector<double> sums(hidden);
    for (std::size_t i = 0; i < rows.size(); ++i)
        sums[i % hidden] += double{rows[i]};
    std::vector<float> mean(hidden);
    const double count = static_cast<double>(rows.size() / hidden);
    std::transform(sums.begin(), sums.end(), mean.begin(),
                   [count](double sum) { return static_cast<float>(sum / count); });
    return mean;
}

/// The dense layers that follow the pooling.
std::vector<float> dense(const std::vector<DenseLayer> &layers, std::vector<float> x)
{
    for (const DenseLayer &layer : layers) {
        const auto in = static_cast<std::size_t>(layer.in);
        std::vector<float> y(static_cast<std::size_t>(layer.out));
        for (std::size_t i = 0; i < y.size(); ++i) {
            const double sum = std::inner_product(x.begin(), x.end(), &layer.weight[i * in], 0.0) +
                               (layer.bias.empty() ? 0.0 : double{layer.bias[i]});
            y[i] = static_cast<float>(layer.tanh ? std::tanh(sum) : sum);
        }
        x = std::move(y);
    }
    return x;
}

} // namespace

std::optional<EmbeddingForm> embeddingForm(std::string_view word)
{
    for (const FormWord &each : kForms)
        if (each.word == word)
            return each.form;
    return std::nullopt;
}

const char *toString(EmbeddingForm form)
{
    return std::find_if(kForms.begin(), kForms.end(),
                        [form](const FormWord &each) { return each.form == form; })
        ->word.data();
}

std::vector<std::string> vectorRemarks(const Model &model, EmbeddingForm form, bool asked,
                                       const Tokenizer *tokenizer)
{
    std::vector<std::string> remarks;
    if (!asked)
        if (auto remark = poolingRemark(model.config()))
            remarks.push_back(std::move(*remark));
    if (form == EmbeddingForm::Last && tokenizer != nullptr)
        if (auto remark = endTokenRemark(*tokenizer))
            remarks.push_back(std::move(*remark));
    return remarks;
}

Embedder::Embedder(const Model &model, int capacity)
    : m_model(model)
    , m_most(capacity)
{
    if (model.config().encoder)
        m_most = std::min({m_most, model.maxRows(), model.config().contextTrained});
}

EmbeddingForm Embedder::formFor(std::optional<EmbeddingForm> asked) const
{
    const Config &c = m_model.config();
    if (asked)
        return *asked;
    if (!c.embeddingProblem.empty())
        throwUnsupported(c.embeddingProblem);
    return c.embedding;
}

void Embedder::check(std::span<const std::vector<TokenId>> sequences, EmbeddingForm form) const
{
    if (form == EmbeddingForm::Score && !m_model.config().score.there)
        throwUnsupported("the model has no head that scores: it is no reranker");
    const auto fail = [&](std::size_t index, const std::string &what) {
        throwBadInput("sequence " + std::to_string(index + 1) + " of " +
                      std::to_string(sequences.size()) + what);
    };
    const std::int64_t vocabulary = m_model.config().vocabulary;
    for (std::size_t i = 0; i < sequences.size(); ++i) {
        if (sequences[i].empty())
            fail(i, " is empty");
        if (sequences[i].size() > static_cast<std::size_t>(m_most))
            fail(i, " has " + std::to_string(sequences[i].size()) + " tokens, more than the " +
                        std::to_string(m_most) + " that fit");
        for (const TokenId id : sequences[i])
            if (id < 0 || id >= vocabulary)
                fail(i, ": token " + std::to_string(id) + " is outside the vocabulary of " +
                            std::to_string(vocabulary));
    }
}

/// An encoder's sequences as items of one pass.
void Embedder::pass(std::span<const std::vector<TokenId>> sequences, EmbeddingForm form,
                    std::span<std::vector<float>> results, const std::stop_token &stop) const
{
    std::vector<std::int32_t> ids, positions;
    std::vector<BatchItem> items;
    for (const std::vector<TokenId> &sequence : sequences) {
        items.push_back({.cache = {},
                         .firstRow = static_cast<std::int64_t>(ids.size()),
                         .rows = static_cast<std::int64_t>(sequence.size())});
        for (std::size_t i = 0; i < sequence.size(); ++i)
            positions.push_back(static_cast<std::int32_t>(i));
        ids.insert(ids.end(), sequence.begin(), sequence.end());
    }
    const auto hidden = static_cast<std::size_t>(m_model.config().hidden);
    const bool rows = form == EmbeddingForm::Rows, scores = form == EmbeddingForm::Score;
    std::vector<float> values(rows     ? ids.size() * hidden
                              : scores ? items.size()
                                       : items.size() * hidden);
    Model::Output output{.pooling = poolingOf(form)};
    if (rows) {
        output.hidden = values;
    } else if (scores) {
        output.scores = values;
        output.pooling = m_model.config().score.pooling;
    } else {
        output.pooled = values;
    }
    m_model.run({ids, positions, items}, output, stop);
    auto from = values.begin();
    for (std::size_t i = 0; i < items.size(); ++i) {
        const std::size_t count = scores ? 1 : rows ? sequences[i].size() * hidden : hidden;
        const auto end = from + static_cast<std::ptrdiff_t>(count);
        results[i].assign(from, end);
        from = end;
    }
}

/// A decoder reads a sequence in chunks, with a cache.
std::vector<float> Embedder::decoded(std::span<const TokenId> ids, EmbeddingForm form,
                                     const std::stop_token &stop) const
{
    Session session(m_model, static_cast<int>(ids.size()), DType::F16);
    const auto hidden = static_cast<std::size_t>(m_model.config().hidden);
    return pooledRows(session.appendRows(ids, stop), hidden, form);
}

std::vector<std::vector<float>> Embedder::embed(std::span<const std::vector<TokenId>> sequences,
                                                EmbeddingForm form, std::stop_token stop) const
{
    check(sequences, form);
    std::vector<std::vector<float>> results = pooled(sequences, form, stop);
    const auto &layers = m_model.config().dense;
    if (layers && form != EmbeddingForm::Rows && form != EmbeddingForm::Score)
        for (std::vector<float> &each : results)
            each = dense(*layers, std::move(each));
    return results;
}

std::vector<std::vector<float>> Embedder::pooled(std::span<const std::vector<TokenId>> sequences,
                                                 EmbeddingForm form,
                                                 const std::stop_token &stop) const
{
    std::vector<std::vector<float>> results(sequences.size());
    if (!m_model.config().encoder) {
        for (std::size_t i = 0; i < sequences.size(); ++i)
            results[i] = decoded(sequences[i], form, stop);
        return results;
    }
    for (std::size_t first = 0; first < sequences.size();) {
        std::size_t count = 0;
        std::int64_t rows = 0;
        while (first + count < sequences.size() && count < kMostItems) {
            const auto more = static_cast<std::int64_t>(sequences[first + count].size());
            if (rows + more > m_model.maxRows())
                break;
            rows += more;
            ++count;
        }
        pass(sequences.subspan(first, count), form, std::span(results).subspan(first, count), stop);
        first += count;
    }
    return results;
}

void normalizeLength(std::span<float> values)
{
    double squares = 0;
    for (const float v : values)
        squares += double{v} * double{v};
    if (squares > 0)
        for (float &v : values)
            v = static_cast<float>(double{v} / std::sqrt(squares));
}

} // namespace fireside
