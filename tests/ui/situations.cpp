#include "tests/ui/situations.h"

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QListView>
#include <QMimeData>
#include <QTest>

#include <sys/stat.h>

namespace fireside::test {

QString SituationTest::clipboardText()
{
    return QApplication::clipboard()->text();
}

void SituationTest::setClipboard()
{
    QClipboard *clipboard = QApplication::clipboard();
    switch (GetParam().clipboard) {
    case Situation::Nobody:
        return clipboard->clear();
    case Situation::NoFormats:
        return clipboard->setMimeData(new QMimeData);
    case Situation::Text:
        return clipboard->setText(QStringLiteral("copied"));
    }
}

void SituationTest::breakDisk()
{
    const QString data = m_home->path(QStringLiteral("data/fireside"));
    if (GetParam().disk == Situation::ReadOnly) {
        // The way there may be walked and the chats read by everybody, and nobody may write.
        for (const QFileInfo &file : QDir(data).entryInfoList(QDir::Files))
            ::chmod(QFile::encodeName(file.filePath()).constData(), 0644);
        for (const QString &folder : {m_home->path({}), m_home->path(QStringLiteral("data")), data})
            ::chmod(QFile::encodeName(folder).constData(), 0555);
        m_unprivileged.emplace();
    } else if (GetParam().disk == Situation::Full) {
        m_full.emplace(0);
    }
}

void SituationTest::failToLoad()
{
    const QString path = m_home->path(QStringLiteral("secret.gguf"));
    QVERIFY(QFile::copy(ModelLibrary::starterModelPath(), path));
    ::chmod(QFile::encodeName(path).constData(), 0000);
    ::chmod(QFile::encodeName(m_home->path({})).constData(), 0755);
    const WithoutPrivileges unprivileged;
    engine().loadModel(path, {});
    ASSERT_TRUE(waitFor([&] { return engine().state() == EngineState::NoModel; }));
}

void SituationTest::enter()
{
    const Situation &situation = GetParam();
    leave();
    // Some drivers keep a device's memory in files without a name, which a full disk does not end.
    if (situation.disk == Situation::Full)
        m_noDrivers.emplace("VK_DRIVER_FILES", "/nonexistent");
    m_home = std::make_unique<PrivateHome>();
    setClipboard();
    m_chat = situation.chats ? storeChats() : 0;
    breakDisk();
    start();
    if (situation.engine)
        startEngine();
    if (situation.unreadableModel)
        failToLoad();
    if (situation.replying)
        loadEndless();
    else if (situation.model)
        loadStarter();
    if (m_chat != 0) {
        const QModelIndex newest = list()->model()->index(0, 0);
        ASSERT_TRUE(newest.isValid());
        QTest::mouseClick(list()->viewport(), Qt::LeftButton, {},
                          list()->visualRect(newest).center());
        ASSERT_EQ(chat().currentConversation(), m_chat);
    }
    if (situation.replying) {
        SamplingSettings endless = chat().sampling();
        endless.maxTokens = 0;
        chat().setSampling(endless);
        write("talk");
        ASSERT_TRUE(waitFor([&] { return !chat().messages().last().text.isEmpty(); }));
        ASSERT_TRUE(chat().replying());
    }
    field()->setFocus();
    type(draft());
    ASSERT_EQ(composer()->text(), draft());
}

void SituationTest::leave()
{
    end();
    m_full.reset();
    m_unprivileged.reset();
    m_noDrivers.reset();
    m_home.reset();
}

} // namespace fireside::test
