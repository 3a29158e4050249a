#pragma once
#include <QCoreApplication>

namespace fireside {

/// A translated text of the transcript, which several files draw.
inline QString transcriptText(const char *text)
{
    return QCoreApplication::translate("Transcript", text);
}

} // namespace fireside
