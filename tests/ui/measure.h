#pragma once

namespace fireside::test {

/// Prints how long the window takes for what grows: searching all chats, opening a long one, and a
/// fast reply. Figures for app/bench/README.md, not a test.
int measureWindow();

} // namespace fireside::test
