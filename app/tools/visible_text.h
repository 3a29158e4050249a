#pragma once
#include <QString>

namespace fireside {

/// Text of strangers in which what nobody sees stands as JSON writes it (\u202e): control
/// characters but tabs and line ends, marks that turn letters around, and letters without a shape,
/// which a model would read and a user would not.
QString visible(const QString &text);
/// The beginning of it, up to `most` letters. end: how many of `text` are in it.
QString visible(const QString &text, qsizetype most, qsizetype &end);

} // namespace fireside
