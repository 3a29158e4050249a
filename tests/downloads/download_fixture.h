#pragma once
#include "app/downloads/download.h"
#include "app/network/connections.h"
#include "app/network/network_gate.h"
#include "tests/downloads/lying_server.h"

#include <QString>
#include <QTemporaryDir>

#include <gtest/gtest.h>

#include <functional>

namespace fireside::test {

/// Runs the event loop until the condition holds; false after a time that no working machine needs.
bool waitFor(const std::function<bool()> &condition);

QByteArray randomBytes(qsizetype count, quint32 seed = 1);
QByteArray sha256(const QByteArray &content);
DownloadPolicy hastyPolicy(); // small parts and short waits

/// Downloads into a fresh folder.
class DownloadFixture : public ::testing::Test
{
protected:
    DownloadFixture();

    RemoteFile file(const LyingServer &server, bool knownDigest = true,
                    const QString &name = QStringLiteral("model.bin")) const;
    /// What became of it: empty when everything is in its place.
    QString load(const RemoteFile &file);
    QString load(Download &download);
    std::unique_ptr<Download> make(const QList<RemoteFile> &files);
    QByteArray stored(const QString &name = QStringLiteral("model.bin")) const;
    bool nothingIsNamed() const; // no file has its place, whatever lies in the hidden folder
    bool nothingIsLeft() const;  // not there either

    QTemporaryDir m_home;
    QString m_folder;
    QByteArray m_content = randomBytes(700'001);
    DownloadPolicy m_policy = hastyPolicy();
    Connections m_connections;
    NetworkGate m_gate{m_connections};
    QByteArray m_token;
    QString m_note; // the last that was told while it ran
};

} // namespace fireside::test
