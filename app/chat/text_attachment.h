#pragma once
#include <QString>

namespace fireside {

/// A text file as it goes into a message: a fenced block under its name.
struct TextAttachment
{
    QString text;    // "notes.txt:\n```txt\n…\n```\n"; empty when there is a problem
    QString problem; // one sentence
};

inline constexpr qint64 kMaxAttachmentBytes = 256 * 1024;

/// Reads the file at once: call it off the interface's thread. Only regular files of valid UTF-8
/// text, kMaxAttachmentBytes at most.
TextAttachment readTextAttachment(const QString &path);

} // namespace fireside
