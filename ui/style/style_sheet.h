#pragma once
#include <QString>

namespace fireside {

class Theme;

/// The application's style sheet. Widgets opt in to variants with a dynamic property "role":
/// QPushButton "primary", "danger", "quiet", "card" (big, left aligned); QLabel "muted", "title",
/// "heading", "error", "warning", "success"; QFrame "card", "sunken"; QToolButton is flat
/// everywhere.
QString styleSheet(const Theme &theme);

} // namespace fireside
