#pragma once
#include "tests/support/scoped_env.h"
#include "tests/support/temp_dir.h"

#include <QDir>
#include <QString>

namespace fireside::test {

/// A home folder of its own, so that settings, chats and models of a test are nobody else's.
class PrivateHome
{
public:
    PrivateHome() { QDir().mkpath(modelsFolder()); }

    QString path(const QString &name) const
    {
        return QString::fromStdString(m_folder.path().string()) + QLatin1Char('/') + name;
    }
    QString modelsFolder() const { return path(QStringLiteral("data/fireside/models")); }

private:
    TempDir m_folder;
    std::string m_root = m_folder.path().string();
    ScopedEnv m_home{"HOME", m_root.c_str()};
    ScopedEnv m_data{"XDG_DATA_HOME", (m_root + "/data").c_str()};
    ScopedEnv m_config{"XDG_CONFIG_HOME", (m_root + "/config").c_str()};
    ScopedEnv m_cache{"XDG_CACHE_HOME", (m_root + "/cache").c_str()};
    ScopedEnv m_hub{"HF_HUB_CACHE", nullptr};
    ScopedEnv m_huggingFace{"HF_HOME", nullptr};
    ScopedEnv m_ollama{"OLLAMA_MODELS", nullptr};
};

} // namespace fireside::test
