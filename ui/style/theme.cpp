#include "ui/style/theme.h"

#include "ui/style/program_style.h"
#include "ui/style/style_sheet.h"

#include <QApplication>
#include <QFontDatabase>
#include <QPalette>
#include <QStyle>
#include <QStyleHints>

#include <algorithm>
#include <cmath>

namespace fireside {

namespace {

Theme lightTheme()
{
    Theme t;
    t.window = QColor(0xffffff);
    t.surface = QColor(0xffffff);
    t.sunken = QColor(0xf7f5f2);
    t.hover = QColor(0xefebe6);
    t.selected = QColor(0xe9e2da);
    t.border = QColor(0xe2dcd5);
    t.text = QColor(0x1f1b16);
    t.muted = QColor(0x6b645c);
    t.accent = QColor(0xb9400e);
    t.accentText = QColor(0xffffff);
    t.userBubble = QColor(0xf4efe9);
    t.codeBackground = QColor(0xf7f5f2);
    t.error = QColor(0xb3261e);
    t.warning = QColor(0x8a5a00);
    t.success = QColor(0x1e6f3c);
    t.errorSurface = QColor(0xfdecea);
    t.warningSurface = QColor(0xfff4dc);
    t.infoSurface = QColor(0xf7f2ec);
    t.match = QColor(0xffdf8a);
    t.syntaxKeyword = QColor(0x9a2f6e);
    t.syntaxString = QColor(0x2f6b2f);
    t.syntaxComment = QColor(0x77706a);
    t.syntaxNumber = QColor(0x9a4a00);
    t.syntaxType = QColor(0x1f6280);
    t.syntaxFunction = QColor(0x2b55a8);
    return t;
}

Theme darkTheme()
{
    Theme t;
    t.dark = true;
    t.window = QColor(0x1c1a19);
    t.surface = QColor(0x272423);
    t.sunken = QColor(0x151312);
    t.hover = QColor(0x2e2b29);
    t.selected = QColor(0x46403b);
    t.border = QColor(0x3b3734);
    t.text = QColor(0xece7e1);
    t.muted = QColor(0xa89f96);
    t.accent = QColor(0xf2935a);
    t.accentText = QColor(0x231309);
    t.userBubble = QColor(0x2d2927);
    t.codeBackground = QColor(0x141211);
    t.error = QColor(0xff8a80);
    t.warning = QColor(0xf2c05c);
    t.success = QColor(0x7fd49a);
    t.errorSurface = QColor(0x3c2220);
    t.warningSurface = QColor(0x3a2f18);
    t.infoSurface = QColor(0x2a2522);
    t.match = QColor(0x6b5212);
    t.syntaxKeyword = QColor(0xe58fc2);
    t.syntaxString = QColor(0x9fce8f);
    t.syntaxComment = QColor(0x948b83);
    t.syntaxNumber = QColor(0xf0b07a);
    t.syntaxType = QColor(0x83c5de);
    t.syntaxFunction = QColor(0x9ab8f5);
    return t;
}

/// The same shapes with the strongest colours: no colour carries a meaning alone.
Theme highContrastTheme(bool dark)
{
    Theme t = dark ? darkTheme() : lightTheme();
    const QColor ink = dark ? QColor(Qt::white) : QColor(Qt::black);
    const QColor paper = dark ? QColor(Qt::black) : QColor(Qt::white);
    t.highContrast = true;
    t.window = t.surface = t.sunken = t.userBubble = t.codeBackground = paper;
    t.errorSurface = t.warningSurface = t.infoSurface = paper;
    t.text = t.muted = t.border = ink;
    t.hover = t.selected = dark ? QColor(0x3d3d3d) : QColor(0xd0d0d0);
    t.accent = dark ? QColor(0xffd400) : QColor(0x0000b0);
    t.accentText = paper;
    return t;
}

double luminance(const QColor &color)
{
    const auto linear = [](double c) {
        return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) +
           0.0722 * linear(color.blueF());
}

/// WCAG 2 contrast ratio, 1…21.
double contrast(const QColor &a, const QColor &b)
{
    const double high = std::max(luminance(a), luminance(b));
    const double low = std::min(luminance(a), luminance(b));
    return (high + 0.05) / (low + 0.05);
}

/// What the desktop looked like before we changed anything.
struct SystemLook
{
    QPalette palette = QGuiApplication::palette();
    QFont font = QApplication::font();
};

const SystemLook &systemLook()
{
    static const SystemLook look;
    return look;
}

bool systemIsDark()
{
#if QT_VERSION >= QT_VERSION_CHECK(6, 5, 0)
    if (const Qt::ColorScheme scheme = QGuiApplication::styleHints()->colorScheme();
        scheme != Qt::ColorScheme::Unknown)
        return scheme == Qt::ColorScheme::Dark;
#endif
    const QPalette &palette = systemLook().palette;
    return luminance(palette.color(QPalette::Window)) <
           luminance(palette.color(QPalette::WindowText));
}

/// Desktops have no common switch for it, but a high contrast theme is pure black on pure white or
/// the reverse, which ordinary themes avoid.
bool systemIsHighContrast()
{
    const QPalette &palette = systemLook().palette;
    return contrast(palette.color(QPalette::Window), palette.color(QPalette::WindowText)) > 20.5 &&
           contrast(palette.color(QPalette::Button), palette.color(QPalette::ButtonText)) > 20.5;
}

QPalette paletteOf(const Theme &t)
{
    QPalette p;
    p.setColor(QPalette::Window, t.window);
    p.setColor(QPalette::WindowText, t.text);
    p.setColor(QPalette::Base, t.surface);
    p.setColor(QPalette::AlternateBase, t.sunken);
    p.setColor(QPalette::Text, t.text);
    p.setColor(QPalette::PlaceholderText, t.muted);
    p.setColor(QPalette::Button, t.surface);
    p.setColor(QPalette::ButtonText, t.text);
    p.setColor(QPalette::BrightText, t.error);
    p.setColor(QPalette::ToolTipBase, t.surface);
    p.setColor(QPalette::ToolTipText, t.text);
    p.setColor(QPalette::Highlight, t.accent);
    p.setColor(QPalette::HighlightedText, t.accentText);
    p.setColor(QPalette::Link, t.accent);
    p.setColor(QPalette::LinkVisited, t.accent);
    p.setColor(QPalette::Light, t.dark ? t.hover : t.surface);
    p.setColor(QPalette::Midlight, t.hover);
    p.setColor(QPalette::Mid, t.border);
    p.setColor(QPalette::Dark, t.border);
    p.setColor(QPalette::Shadow, QColor(0, 0, 0));
    for (const QPalette::ColorRole role :
         {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
        QColor faint = t.muted;
        faint.setAlphaF(0.65f);
        p.setColor(QPalette::Disabled, role, faint);
    }
    p.setColor(QPalette::Disabled, QPalette::Highlight, t.selected);
    return p;
}

Theme &instance()
{
    static Theme theme = lightTheme();
    return theme;
}

} // namespace

const Theme &Theme::current()
{
    return instance();
}

Theme Theme::paper()
{
    Theme theme = lightTheme();
    theme.text = QColor(Qt::black);
    return theme;
}

void Theme::apply(const AppearanceSettings &settings)
{
    [[maybe_unused]] static AppearanceSettings last;
    static bool first = true;
    last = settings;
    systemLook(); // remembered before the first change
    if (first) {
        first = false;
        QApplication::setStyle(new ProgramStyle);
#if QT_VERSION >= QT_VERSION_CHECK(6, 5, 0)
        QObject::connect(QGuiApplication::styleHints(), &QStyleHints::colorSchemeChanged, qApp, [] {
            if (last.theme == "system")
                apply(AppearanceSettings(last));
        });
#endif
    }

    const bool dark = settings.theme == "dark" || (settings.theme == "system" && systemIsDark());
    const bool strong = settings.contrast == "high" || systemIsHighContrast();
    Theme theme = strong ? highContrastTheme(dark) : dark ? darkTheme() : lightTheme();
    theme.still = settings.still;
    instance() = theme;

    QFont base = systemLook().font;
    if (settings.fontSize > 0)
        base.setPointSize(settings.fontSize);
    QApplication::setFont(base);
    QApplication::setPalette(paletteOf(theme));
    static const int systemFlash = QApplication::cursorFlashTime();
    QApplication::setCursorFlashTime(theme.still ? 0 : systemFlash);
    static const bool systemEffects = QApplication::isEffectEnabled(Qt::UI_General);
    QApplication::setEffectEnabled(Qt::UI_General, systemEffects && !theme.still);
    qApp->setStyleSheet(styleSheet(theme));
}

QFont Theme::monospace()
{
    QFont fixed = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    fixed.setStyleHint(QFont::Monospace);
    fixed.setPointSizeF(QApplication::font().pointSizeF() * 0.95);
    return fixed;
}

QFont Theme::font(double scale, bool bold)
{
    QFont result = QApplication::font();
    result.setPointSizeF(result.pointSizeF() * scale);
    if (bold)
        result.setWeight(QFont::DemiBold);
    return result;
}

} // namespace fireside
