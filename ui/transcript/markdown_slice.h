#pragma once
#include <QString>

namespace fireside {

/// The Markdown between two places of a source, so that it means on its own what it meant there:
/// with the marks at its line's beginning, and spans that are cut begun and ended.
QString markdownSlice(QStringView source, qsizetype from, qsizetype to);

} // namespace fireside
