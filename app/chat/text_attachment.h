#pragma once
#include <QList>
#include <QString>

namespace fireside {

/// A text file as it goes into a message: a fenced block under its name.
struct TextAttachment
{
    QString text = {};    // "notes.txt:\n```txt\n…\n```\n"; empty when there is a problem
    QString problem = {}; // one sentence
    QString name = {};    // "notes.txt"
    bool operator==(const TextAttachment &) const = default;
};

/// What somebody wrote, and the files that go with it. As one text, a message or a draft, the files
/// follow the words.
struct ComposedText
{
    QString words;
    QList<TextAttachment> files;

    QString whole() const;
    /// Takes apart what whole() made, and any text that ends in such blocks. Linear.
    static ComposedText of(const QString &text);
};

inline constexpr qint64 kMaxAttachmentBytes = 256 * 1024;

/// Reads the file at once: call it off the interface's thread. Only regular files of valid UTF-8
/// text, kMaxAttachmentBytes at most.
TextAttachment readTextAttachment(const QString &path);

} // namespace fireside
