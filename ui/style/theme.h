#pragma once
#include "app/settings/appearance_settings.h"

#include <QColor>
#include <QFont>

namespace fireside {

/// The program's look: one set of named colours, light, dark or high contrast, and the text sizes.
/// apply() sets palette, font and style sheet of the application; widgets that paint themselves
/// read current() while painting and are repainted by the PaletteChange event that apply() causes.
class Theme
{
public:
    /// Needs a QApplication.
    static void apply(const AppearanceSettings &settings);
    static const Theme &current();
    /// The light colours on white, for what is printed. Any thread.
    static Theme paper();

    bool dark = false;
    bool highContrast = false;
    bool still = false; // nothing moves or blinks by itself

    QColor window;   // behind everything: transcript, dialogs
    QColor surface;  // cards, fields, menus
    QColor sunken;   // side bar, status panel, groups
    QColor hover;    // under the pointer
    QColor selected; // chosen row
    QColor border;   // hairlines
    QColor text;
    QColor muted;                   // secondary text, still ≥ 4.5:1 on window, surface and sunken
    QColor accent;                  // the one colour: primary buttons, links, focus
    QColor accentText;              // on accent
    QColor userBubble;              // behind the user's own messages
    QColor codeBackground;          // code blocks and inline code
    QColor error, warning, success; // as text and icons
    QColor errorSurface, warningSurface, infoSurface; // banners
    QColor match;                                     // search matches' background
    QColor syntaxKeyword, syntaxString, syntaxComment, syntaxNumber, syntaxType, syntaxFunction;

    static QFont monospace(); // the fixed font at the application's size
    /// The application's font scaled, e.g. 0.9 for captions, 1.4 for titles.
    static QFont font(double scale, bool bold = false);

    // Distances in device-independent pixels.
    static constexpr int kSpace = 8;       // the unit
    static constexpr int kRadius = 8;      // corners of cards and fields
    static constexpr int kTextWidth = 760; // widest line of text in the transcript
};

} // namespace fireside
