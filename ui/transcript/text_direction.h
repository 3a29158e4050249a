#pragma once
#include <Qt>

class QTextBlock;
class QTextDocument;

namespace fireside {

/// The direction of a block's words: code and formulas in it do not count. LayoutDirectionAuto:
/// it has no letters.
Qt::LayoutDirection directionOf(const QTextBlock &block);

/// Gives each block the direction of its words, and its indentation the side where it begins. In
/// blocks from right to left, code, paths and options keep their signs on the left
/// (`./run`, /usr/bin, C++): marks around them are no text (kMarkOnly).
void settleDirections(QTextDocument &document);

} // namespace fireside
