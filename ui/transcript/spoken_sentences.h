#pragma once
#include "app/chat/conversation.h"

#include <QString>

namespace fireside {

/// A reply as a screen reader is to say it while it is written: sentence by sentence instead of
/// letter by letter, without thoughts, without marks of Markdown, and of code only how much it is.
class SpokenSentences
{
public:
    /// What has become whole since the last call: sentences and lines; once the reply has ended,
    /// the rest. Empty where there is nothing new. The text may only grow.
    QString next(const Message &reply);

private:
    QString line(QStringView text, bool begins);

    qsizetype m_at = 0;    // of the answer, what was said
    bool m_inCode = false; // between fences
    QString m_fence = {};  // how that code began
    qsizetype m_codeLines = 0;
};

/// The reply's text without its thoughts and calls of tools.
QString answerOf(const Message &reply);
/// A line of Markdown as it is read aloud.
QString spokenLine(QStringView markdown);

} // namespace fireside
