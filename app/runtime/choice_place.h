#pragma once
#include "app/runtime/engine_types.h"

namespace fireside {

class Tokenizer;

/// The token of an answer that begins at, or holds, the end of `before`, and what comes before it:
/// never text that is cut within a token, since a model then writes the rest of it.
/// `after`: what the answer has behind that place. written: the ids of the whole reply; where they
/// are not known, or do not hold the answer, it is tokenised as a whole.
ChoicePlace choicePlace(const Tokenizer &tokenizer, const QString &before, const QString &after,
                        const QList<int> &written);

} // namespace fireside
