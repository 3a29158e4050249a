#pragma once
#include <QString>

namespace fireside {

/// What programs must send to the window's server: a file beside the settings that only its owner
/// may read. Empty: none.
QString serverKey();
QString storeServerKey(const QString &key); // empty: stored; else why not
QString newServerKey();                     // 32 random letters and digits

} // namespace fireside
