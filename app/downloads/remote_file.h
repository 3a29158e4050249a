#pragma once
#include <QByteArray>
#include <QList>
#include <QString>
#include <QUrl>

#include <chrono>

namespace fireside {

/// What a file's content must come to, as far as it is known before.
struct ExpectedDigest
{
    enum class Kind {
        None,
        Sha256,  // of the content
        GitBlob, // SHA-1 of "blob <size>\0" and the content: what git calls a file
    };
    Kind kind = Kind::None;
    QByteArray hex; // small letters
    bool operator==(const ExpectedDigest &) const = default;
};

/// A file on a server.
struct RemoteFile
{
    QUrl url;
    QString name;     // where it goes, relative to the chosen folder; from the network
    qint64 size = -1; // −1: not known
    ExpectedDigest digest;
    bool operator==(const RemoteFile &) const = default;
};

/// Files that belong together, and the folder into which they go.
struct DownloadRequest
{
    QString title; // "org/model, Q4_K_M"
    QString folder;
    QList<RemoteFile> files;
    bool operator==(const DownloadRequest &) const = default;
};

/// How downloads go about it. Other values than these are for tests.
struct DownloadPolicy
{
    int connections = 4;                 // at once for one file
    qint64 partBytes = qint64(64) << 20; // asked for at once
    int attempts = 8;                    // without progress in between
    std::chrono::milliseconds firstWait{1000},
        longestWait{60'000};                     // doubled from attempt to attempt
    std::chrono::seconds longestRetryAfter{600}; // a server may ask for
    std::chrono::milliseconds patience{30'000};
    qint64 leastBytes = 32 << 10;              // within `patience`
    qint64 reserveBytes = qint64(256) << 20;   // stay free on the disk
    std::chrono::milliseconds saveEvery{2000}; // what is lost at most when the power fails
};

} // namespace fireside
