#pragma once
#include <QString>

namespace fireside {

class TranscriptView;

/// Gives screen readers the transcript as a list whose items are the messages. Safe to call often.
void installTranscriptAccessibility();
/// The keyboard moved to a message: read it.
void notifyMessageFocus(TranscriptView *view, int index);
/// Says a text to whoever listens, wherever the keyboard is.
void announce(TranscriptView *view, const QString &text);

} // namespace fireside
