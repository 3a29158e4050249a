#pragma once
#include <QFont>
#include <QList>
#include <QPointF>
#include <QRectF>

class QTextTable;

namespace fireside {

struct RenderedSection;

/// A code block or table, which keeps its lines and words whole: what is wider than the column is
/// moved sideways behind a window as wide as the column. In the document's coordinates, px.
struct WideBlock
{
    int key = 0; // its first text block's number; stays while text is appended
    double top = 0, bottom = 0;
    double left = 0, right = 0; // of the window
    double content = 0;         // width of what it holds
    bool bar = true;            // its scroll bar is here, not in a later section
    bool fromRight = false;     // is read from the right, so that it begins there
    double reach() const;       // how far it can be moved
};

/// Where a wide block stands, and how far it can be moved.
struct SideShift
{
    double offset = 0, reach = 0;
};

/// A table of the document, and the widths its columns want.
struct TableColumns
{
    QTextTable *table = nullptr;
    QList<double> least; // px for the longest word of each column, within reason
    QList<double> wanted;
    bool rightToLeft = false; // its first column stands last
};
TableColumns columnsOf(QTextTable *table, const QFont &font);

/// Gives a table on paper columns that fit the page.
void fitToPage(const TableColumns &columns, double width);

/// Gives the section's document this width and finds its wide blocks.
void layOutSection(RenderedSection &section, double width);

/// The bar below a block that can be moved, and the part of it that stands for what is in view.
QRectF sideBar(const WideBlock &block);
QRectF sideThumb(const WideBlock &block, SideShift shift);

} // namespace fireside
