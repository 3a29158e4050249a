#include "ui/style/style_sheet.h"

#include "ui/style/theme.h"

#include <QApplication>
#include <QHash>
#include <QRegularExpression>

namespace fireside {

namespace {

// @name is replaced by the theme's colour of that name.
constexpr const char *kTemplate = R"(
QToolTip { background: @surface; color: @text; border: 1px solid @border; padding: 4px 6px; }

QMenuBar { background: @sunken; border: none; border-bottom: 1px solid @border; padding: 2px 4px; }
QMenuBar::item { background: transparent; padding: 4px 10px; border-radius: 5px; }
QMenuBar::item:selected { background: @hover; }
QMenu { background: @surface; color: @text; border: 1px solid @border; padding: 5px; }
QMenu::item { padding: 6px 28px 6px 12px; border-radius: 5px; }
QMenu::item:selected { background: @hover; color: @text; }
QMenu::item:disabled { color: @faint; }
QMenu::icon { padding-left: 8px; }
QMenu::separator { height: 1px; background: @border; margin: 5px 8px; }

QPushButton { background: @surface; color: @text; border: 1px solid @border; border-radius: 7px;
              padding: 6px 14px; min-height: 1.2em; outline: none; }
QPushButton:hover { background: @hover; }
QPushButton:pressed { background: @selected; }
QPushButton:focus { border: 1px solid @accent; }
QPushButton:disabled { color: @faint; }
QPushButton[role="primary"], QPushButton:default[role="primary"] {
    background: @accent; color: @accentText; border-color: @accent; font-weight: 600; }
QPushButton[role="primary"]:hover { background: @accentHover; border-color: @accentHover; }
QPushButton[role="primary"]:focus { border: 2px solid @text; padding: 5px 13px; }
QPushButton[role="primary"]:disabled { background: @hover; color: @faint; border-color: @border; }
QPushButton[role="danger"] { color: @error; }
QPushButton[role="danger"]:disabled { color: @faint; }
QPushButton[role="quiet"] { background: transparent; border-color: transparent; }
QPushButton[role="quiet"]:hover { background: @hover; }
QPushButton[role="quiet"]:focus { border-color: @accent; }
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; } /* the style's own are dark on dark */
QPushButton[role="icon"] { padding: 6px 8px; }
QPushButton[role="card"] { text-align: left; padding: 12px 16px; border-radius: 10px; }

QToolButton { background: transparent; border: 1px solid transparent; border-radius: 6px; padding: 4px;
              outline: none; }
QToolButton:hover { background: @hover; }
QToolButton:pressed, QToolButton:checked { background: @selected; }
QToolButton:focus { border-color: @accent; }
QToolButton[role="primary"] { background: @accent; border-radius: 8px; }
QToolButton[role="primary"]:hover { background: @accentHover; }
QToolButton[role="primary"]:disabled { background: @hover; }
QToolButton[role="primary"]:focus { border-color: @text; }
QToolButton::menu-indicator { image: none; }

QLineEdit, QPlainTextEdit, QTextEdit { background: @surface; color: @text; border: 1px solid @border;
    border-radius: 7px; padding: 5px 8px; selection-background-color: @accent;
    selection-color: @accentText; }
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus { border-color: @accent; }
QLineEdit[role="sunken"] { background: @window; }
QPlainTextEdit[role="bare"] { background: transparent; border: none; padding: 0; }

QAbstractItemView { background: @surface; border: 1px solid @border; border-radius: 7px; outline: none;
    alternate-background-color: @sunken; selection-background-color: @selected; selection-color: @text; }
QAbstractItemView::item:hover { background: @hover; }
QAbstractItemView::item:selected { background: @selected; color: @text; }
QAbstractItemView[role="bare"] { background: transparent; border: none; }
QListView { padding: 3px; } /* what is selected does not cut the rounded corners */
QListView[role="bare"] { padding: 0; }
QListView::item { border-radius: 5px; }
QComboBox QAbstractItemView { border-radius: 0; } /* the window of an open list has corners */
QComboBox QAbstractItemView::item { padding: 4px 5px; }
QHeaderView { background: @surface; border: none; }
QHeaderView::section { background: @surface; color: @muted; border: none;
    border-bottom: 1px solid @border; padding: 5px 8px; }

QScrollBar:vertical { background: transparent; width: 12px; margin: 2px; }
QScrollBar:horizontal { background: transparent; height: 12px; margin: 2px; }
QScrollBar::handle { background: @scroll; border-radius: 4px; }
QScrollBar::handle:vertical { min-height: 36px; }
QScrollBar::handle:horizontal { min-width: 36px; }
QScrollBar::handle:hover { background: @muted; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QAbstractScrollArea::corner { background: transparent; }

QProgressBar { background: @hover; border: none; border-radius: 3px; min-height: 6px; max-height: 6px;
    text-align: center; color: transparent; }
QProgressBar::chunk { background: @accent; border-radius: 3px; }
QProgressBar[level="warning"]::chunk { background: @warning; }
QProgressBar[level="error"]::chunk { background: @error; }

QTabWidget::pane { border: none; border-top: 1px solid @border; }
QTabBar::tab { background: transparent; color: @muted; padding: 8px 14px; border: none;
    border-bottom: 2px solid transparent; }
QTabBar::tab:selected { color: @text; border-bottom-color: @accent; }
QTabBar::tab:hover { color: @text; }
QTabBar::tab:focus { border-bottom-color: @text; }

QGroupBox { border: 1px solid @border; border-radius: 8px; margin-top: 1.1em; padding: 10px; }
QGroupBox::title { subcontrol-origin: margin; left: 10px; padding: 0 4px; color: @muted; }
QSplitter::handle { background: @border; }
QSplitter::handle:hover { background: @accent; }

QFrame[role="card"] { background: @surface; border: 1px solid @border; border-radius: 10px; }
QFrame[role="sunken"] { background: @sunken; border: 1px solid @border; border-radius: 10px; }
QLabel[role="muted"] { color: @muted; }
QLabel[role="small"] { color: @muted; font-size: @smallSize; }
QLabel[role="error"] { color: @error; }
QLabel[role="warning"] { color: @warning; }
QLabel[role="success"] { color: @success; }
QLabel[role="title"] { font-size: @titleSize; font-weight: 600; }
QLabel[role="heading"] { font-weight: 600; }
)";

QString hex(const QColor &color)
{
    return color.name(color.alpha() == 255 ? QColor::HexRgb : QColor::HexArgb);
}

QColor blend(const QColor &a, const QColor &b, double t)
{
    return QColor::fromRgbF(float(a.redF() + (b.redF() - a.redF()) * t),
                            float(a.greenF() + (b.greenF() - a.greenF()) * t),
                            float(a.blueF() + (b.blueF() - a.blueF()) * t));
}

} // namespace

QString styleSheet(const Theme &t)
{
    const QHash<QString, QColor> colors = {
        {"window", t.window},
        {"surface", t.surface},
        {"sunken", t.sunken},
        {"hover", t.hover},
        {"selected", t.selected},
        {"border", t.border},
        {"text", t.text},
        {"muted", t.muted},
        {"accent", t.accent},
        {"accentText", t.accentText},
        {"error", t.error},
        {"warning", t.warning},
        {"success", t.success},
        {"accentHover", blend(t.accent, t.text, 0.15)},
        {"faint", blend(t.muted, t.window, 0.35)}, // disabled
        {"scroll", t.highContrast ? t.text : blend(t.muted, t.window, 0.6)},
    };
    static const QHash<QString, double> kSizes = {{"titleSize", 1.6}, {"smallSize", 0.85}};
    static const QRegularExpression name(QStringLiteral("@([A-Za-z]+)"));
    const QString source = QString::fromLatin1(kTemplate);
    QString result;
    qsizetype end = 0;
    for (auto it = name.globalMatch(source); it.hasNext();) {
        const QRegularExpressionMatch match = it.next();
        result += QStringView(source).mid(end, match.capturedStart() - end);
        // Percentages are not understood here, so sizes are worked out.
        if (const double scale = kSizes.value(match.captured(1)); scale > 0)
            result +=
                QString::number(QApplication::font().pointSizeF() * scale) + QLatin1String("pt");
        else
            result += hex(colors.value(match.captured(1)));
        end = match.capturedEnd();
    }
    result += QStringView(source).mid(end);
    return result;
}

} // namespace fireside
