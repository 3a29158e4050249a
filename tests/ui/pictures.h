#pragma once
#include <QString>

namespace fireside::test {

/// Draws the README's pictures of the window into a folder: the same chats, models and sizes each
/// time (packaging/pictures.sh). With `pages` every dialog and page instead, to be looked at.
/// Needs a home of its own.
int drawPictures(const QString &folder, bool pages);

} // namespace fireside::test
