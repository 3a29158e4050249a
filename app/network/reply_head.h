#pragma once
#include <QByteArray>
#include <QString>
#include <QUrl>

#include <chrono>
#include <optional>

class QNetworkReply;

namespace fireside {

/// Bytes [begin, end) of a file.
struct ByteRange
{
    qint64 begin = 0, end = 0;
    qint64 size() const { return end - begin; }
    bool operator==(const ByteRange &) const = default;
};

/// What a reply says of itself before its content.
struct ReplyHead
{
    int status = 0;
    std::optional<qint64> length;   // of the content that follows
    std::optional<ByteRange> range; // Content-Range, where it is well-formed
    std::optional<qint64> total;    // of the whole file, in Content-Range
    QByteArray validator;           // strong ETag, else Last-Modified; empty: none
    QByteArray linkedTag;           // what the Hub calls the file's content: its SHA-256 in hex
    QString encoding;               // Content-Encoding, where it is not the plain one
    QUrl next;                      // page of a long answer (Link: …; rel="next")
    bool endIsMarked = false;       // by length or chunks, so that a cut is noticed
};

/// Why a transfer did not end well.
struct TransferFailure
{
    enum class Kind {
        Cut,     // worth trying again
        Refused, // it would be refused again
        Offline, // the program may not connect
    };
    Kind kind = Kind::Cut;
    QString text;                       // a clause, as in "it cannot be downloaded: …"
    int status = 0;                     // of HTTP; 0: none came
    std::chrono::seconds retryAfter{0}; // what the server asks for
};

/// "bytes 0-99/1234", "bytes */1234" (RFC 9110, 14.4): nothing where it is malformed.
struct ContentRange
{
    std::optional<ByteRange> range;
    std::optional<qint64> total;
};
std::optional<ContentRange> parseContentRange(const QByteArray &value);
/// Seconds or a date (RFC 9110, 10.2.3); 0 where it is malformed or past.
std::chrono::seconds parseRetryAfter(const QByteArray &value);

ReplyHead readHeadOf(const QNetworkReply &reply);
/// What a status that is no success means for the user.
TransferFailure failureOfStatus(const QNetworkReply &reply, int status, bool withToken);
/// What an error below HTTP means.
TransferFailure failureOfError(const QNetworkReply &reply);

} // namespace fireside
