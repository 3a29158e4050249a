// What might stand in place of a token of a reply.
#include "app/runtime/choice_place.h"
#include "app/runtime/engine_worker.h"
#include "engine/core/error.h"
#include "engine/core/exception_guard.h"
#include "engine/core/memory_reserve.h"
#include "engine/core/quote.h"
#include "engine/generate/next_token.h"
#include "engine/generate/token_probabilities.h"

#include <cmath>
#include <new>

namespace fireside {

void EngineWorker::findChoices(const ReplyJob &job)
{
    QList<TokenChoice> choices;
    ChoicePlace place;
    QString problem;
    try {
        wakeModel({});
        if (m_loaded.model() == nullptr)
            throwBadInput("no model is loaded");
        place = choicePlace(m_loaded.model()->tokenizer(), job.begun, job.followed,
                            job.begunTokens.ids);
        ReplyJob whole = job;
        whole.dropOldest = true;
        whole.begun = place.begun;
        whole.begunTokens = place.tokens;
        choices = choicesAfter(promptOf(whole, {}).tokens);
    } catch (const std::bad_alloc &) {
        problem = QString::fromStdString(outOfMemoryText());
    } catch (...) {
        problem = QString::fromStdString(printable(currentError().what()));
        if (Session *const session = m_loaded.session())
            session->truncate(0);
    }
    emit choicesFound(job.id, choices, problem, place);
}

/// One pass over what the session does not have of the prompt.
QList<TokenChoice> EngineWorker::choicesAfter(const std::vector<TokenId> &prompt)
{
    constexpr int kChoices = 5;
    const LoadedModel &model = *m_loaded.model();
    const Tokenizer &tokenizer = model.tokenizer();
    if (prompt.empty() || prompt.size() >= static_cast<std::size_t>(model.context()))
        throwBadInput("this place is beyond the model's context");
    std::vector<float> logits;
    if (Scheduler *const shared = m_loaded.scheduler()) {
        logits = shared->logitsAfter(prompt, {});
    } else {
        Session &session = *m_loaded.session();
        const std::size_t known = reusePrefix(session, prompt, false);
        logits.resize(static_cast<std::size_t>(model.model().config().vocabulary));
        session.append(std::span(prompt).subspan(known), logits);
    }
    QList<TokenChoice> choices;
    for (const TokenProbabilities::One &one : probabilitiesOf(logits, 0, kChoices).best) {
        const std::string bytes = tokenizer.bytes(one.token, false);
        const QString text = QString::fromStdString(bytes);
        choices.append(
            {one.token, text, std::exp(one.logProbability), text.toStdString() == bytes});
    }
    return choices;
}

} // namespace fireside
