#pragma once
#include <QCoreApplication>

namespace fireside {

/// Texts of the transcript, which several files draw.
class TranscriptTexts
{
    Q_DECLARE_TR_FUNCTIONS(fireside::TranscriptTexts)
};

} // namespace fireside
