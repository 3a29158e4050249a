#pragma once
#include "app/tools/tool.h"

#include <stop_token>

namespace fireside {

inline constexpr int kFolderDepth = 24;            // folders below each other that a search enters
inline constexpr int kFolderFiles = 20'000;        // that a search looks at
inline constexpr int kFolderEntries = 1000;        // of one list
inline constexpr int kFolderHits = 100;            // of one search
inline constexpr qint64 kFolderRead = 64 << 10;    // bytes that are read at once
inline constexpr qint64 kFolderSearched = 4 << 20; // largest file that is searched

/// What may be read of a chosen folder. Names are relative to it, and nothing outside of it can be
/// reached: links are followed to their end, and what is there when the file is open is what
/// counts. Only ordinary files are read. For any thread.
class FolderTools
{
public:
    explicit FolderTools(const QString &root);

    ToolResult list(const QString &path) const;
    /// Text from the byte `offset` on.
    ToolResult read(const QString &path, qint64 offset = 0) const;
    /// Lines with `text`, without regard to case, in files whose names match `names` (*.md).
    ToolResult search(const QString &text, const QString &path, const QString &names,
                      const std::stop_token &stop = {}) const;

private:
    /// The real place of a name below the root; a problem instead where there is none.
    QString placeOf(const QString &path, QString &problem) const;
    bool isInside(const QString &place) const;
    struct Content;
    Content contentOf(const QString &place, qint64 offset, qint64 most) const;
    QString nameOf(const QString &place) const; // relative to the root

    const QString m_root; // without links in it; empty: it is gone
};

} // namespace fireside
