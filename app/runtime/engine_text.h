#pragma once
#include <QString>

namespace fireside {

/// What the engine says (reasons, errors), in the language of the program. The engine knows no Qt
/// and speaks English: its sentences are a few templates with names and numbers in them, and parts
/// that are such sentences themselves. Those are found again here and said through tr(); what is
/// not known stays as it is. Any thread.
QString engineText(const QString &english);

/// A reason as the engine words it, standing alone: its first letter in upper case, unless a name
/// of a host or a file begins it.
QString asSentence(const QString &clause);

/// With a full stop, unless it ends like a sentence already.
QString withFullStop(const QString &sentence);

} // namespace fireside
