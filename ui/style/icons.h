#pragma once
#include <QIcon>

namespace fireside {

/// The program's own icons, drawn as strokes on a 24 × 24 grid: sharp at every scale and always in
/// the current theme's colours.
enum class IconName {
    NewChat,
    Search,
    Pin,
    Rename,
    Delete,
    Send,
    Stop,
    Copy,
    Check,
    Edit,
    Regenerate,
    Previous,
    Next,
    ChevronRight,
    ChevronDown,
    ArrowDown,
    Attach,
    Info,
    Warning,
    Error,
    Success,
    Close,
    Plus,
    Folder,
    File,
    Minus,
    Refresh,
    More, // a menu
    Speed,
    Download,
    Offline,
    Flame, // the program's mark
};

enum class IconTint { Text, Muted, Accent, OnAccent, Error, Warning, Success };

/// Follows the theme: an icon made once stays right when the theme changes.
QIcon icon(IconName name, IconTint tint = IconTint::Text);

} // namespace fireside
