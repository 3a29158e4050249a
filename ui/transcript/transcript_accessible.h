#pragma once

namespace fireside {

class TranscriptView;

/// Gives screen readers the transcript as a list whose items are the messages. Safe to call often.
void installTranscriptAccessibility();
/// The keyboard moved to a message: read it.
void notifyMessageFocus(TranscriptView *view, int index);
/// A reply is complete: read it where the platform can announce.
void announceReply(TranscriptView *view, int index);

} // namespace fireside
