#include "tests/ui/private_home.h"
#include "ui/style/theme.h"

#include <QApplication>

#include <gtest/gtest.h>

// Runs without a display, in a home of its own: nothing of the user's is read or written.
int main(int argc, char **argv)
{
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    const fireside::test::PrivateHome home;
    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("fireside"));
    fireside::Theme::apply(fireside::AppSettings::Theme::Light);
    ::testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
