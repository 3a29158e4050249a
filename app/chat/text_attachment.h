#pragma once
#include <QList>
#include <QString>

namespace fireside {

/// A text file as it goes into a message: a fenced block under its name.
struct TextAttachment
{
    QString text = {};     // "notes.txt:\n```txt\n…\n```\n"; empty when there is a problem
    QString problem = {};  // one sentence
    QString name = {};     // "notes.txt"
    qint64 bytes = -1;     // of the file; −1: not known
    QString encoding = {}; // that it was read in; empty: UTF-8
    /// Of the file, as far as it is known: of its text where a message was taken apart.
    qint64 size() const;
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

/// A text as a file of this name.
TextAttachment textAttachment(const QString &name, const QString &text);

inline constexpr qint64 kMaxAttachmentBytes = 256 * 1024;

/// Reads the file at once: call it off the interface's thread. Only regular files of text that
/// decodedText() reads, kMaxAttachmentBytes at most.
TextAttachment readTextAttachment(const QString &path);

} // namespace fireside
