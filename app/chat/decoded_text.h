#pragma once
#include <QByteArray>
#include <QString>

#include <optional>

namespace fireside {

struct DecodedText
{
    QString text;
    QString encoding; // its usual name; empty: UTF-8
};

/// The text of a file in UTF-8, UTF-16 or UTF-32, with or without a byte order mark, or in
/// Windows-1252, of which Latin-1 is a part. Nothing for what is no text, or in an encoding that
/// cannot be told from others.
std::optional<DecodedText> decodedText(const QByteArray &bytes);

} // namespace fireside
