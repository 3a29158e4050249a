#include "app/runtime/contained.h"
#include "support.h"

#include <QCoreApplication>
#include <QDir>
#include <QTemporaryDir>

#include <gtest/gtest.h>

// The tests see an empty home of their own: nothing of the user's is read or written.
int main(int argc, char **argv)
{
    QTemporaryDir home;
    qputenv("HOME", home.path().toUtf8());
    for (const char *name :
         {"XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"}) {
        const QString folder = home.path() + QLatin1Char('/') + QString::fromLatin1(name).toLower();
        QDir().mkpath(folder);
        qputenv(name, folder.toUtf8());
    }
    for (const char *name : {"HF_HUB_CACHE", "HF_HOME", "OLLAMA_MODELS"})
        qunsetenv(name);
    fireside::Guarded<QCoreApplication> application(argc, argv);
    if (const int status = fireside::test::playRole(QCoreApplication::arguments()); status >= 0)
        return status;
    ::testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
