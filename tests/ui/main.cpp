#include "tests/ui/catalogue_guard.h"
#include "tests/ui/measure.h"
#include "tests/ui/pictures.h"
#include "tests/ui/private_home.h"
#include "tests/ui/talker.h"
#include "ui/style/language.h"
#include "ui/style/theme.h"

#include <QApplication>

#include <gtest/gtest.h>

#include <optional>
#include <string_view>

namespace {

/// Every text that a test shows is in every catalogue.
class Catalogues : public testing::Environment
{
public:
    void SetUp() override { QCoreApplication::installTranslator(&m_guard); }
    void TearDown() override
    {
        QCoreApplication::removeTranslator(&m_guard);
        const QStringList missing = m_guard.missing();
        EXPECT_TRUE(missing.isEmpty()) << "without translation (packaging/translations.sh):\n"
                                       << missing.join(QLatin1Char('\n')).toStdString();
    }

private:
    fireside::test::CatalogueGuard m_guard{fireside::Language::translations()};
};

} // namespace

// Runs without a display, in a home of its own: nothing of the user's is read or written.
int main(int argc, char **argv)
{
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    const bool talks = argc == 3 && std::string_view(argv[1]) == "--talk";
    std::optional<fireside::test::PrivateHome> home;
    if (!talks) // else it has the home of the test that started it
        home.emplace();
    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("fireside"));
    if (talks)
        return fireside::test::talkUntilKilled(QString::fromLocal8Bit(argv[2]));
    fireside::Theme::apply(fireside::AppearanceSettings{.theme = "light"});
    if (argc == 2 && std::string_view(argv[1]) == "--measure")
        return fireside::test::measureWindow();
    if (argc >= 3 && std::string_view(argv[1]) == "--pictures")
        return fireside::test::drawPictures(QString::fromLocal8Bit(argv[2]), argc == 4);
    ::testing::InitGoogleTest(&argc, argv);
    testing::AddGlobalTestEnvironment(new Catalogues); // googletest deletes it
    return RUN_ALL_TESTS();
}
