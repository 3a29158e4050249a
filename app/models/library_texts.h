#pragma once
#include <QCoreApplication>

namespace fireside {

/// tr() for what the parts of the library's search say.
struct LibraryTexts
{
    Q_DECLARE_TR_FUNCTIONS(fireside::ModelLibrary)
};

} // namespace fireside
