#pragma once
#include "app/settings/appearance_settings.h"

#include <QString>
#include <QStringList>

namespace fireside {

/// The language of the window: texts, direction, and how numbers are written. Catalogues of
/// resources/translations are compiled into the program; Qt's own dialogs bring theirs, where they
/// are installed.
class Language
{
public:
    /// Needs a QApplication. Returns whether it changed: windows have their texts from when they
    /// were made, so they have to be made again.
    static bool apply(const AppearanceSettings &settings);
    /// The languages there are catalogues of, without English; none in a build without lrelease.
    static QStringList translations();
    /// What the window speaks now: "de".
    static QString current();
    /// "de" for the word of the setting; "en" where the desktop asks for what is not there.
    static QString chosen(const AppearanceSettings &settings);
};

} // namespace fireside
