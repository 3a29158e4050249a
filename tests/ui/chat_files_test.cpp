#include "app/exchange/chat_file.h"
#include "tests/ui/program.h"
#include "ui/chat/chat_pdf.h"
#include "ui/chat/notice_bar.h"

#include <QAction>
#include <QApplication>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFile>
#include <QFileDialog>
#include <QLineEdit>
#include <QListView>
#include <QMimeData>
#include <QPrintDialog>
#include <QPrinter>
#include <QPushButton>
#include <QTest>
#include <QUrl>

// Chats that go into files and come from them, and several of them at once.
namespace fireside::test {
namespace {

class ChatFilesTest : public ProgramTest
{
protected:
    void SetUp() override
    {
        m_chat = storeChats();
        start();
        chat().openConversation(m_chat);
        activate();
    }

    NoticeBar *notices() { return window().chatPanel()->notices(); }

    QString write(const char *name, const QByteArray &content)
    {
        QFile file(home.path(QLatin1String(name)));
        EXPECT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(content);
        return file.fileName();
    }

    bool drop(const QStringList &paths)
    {
        QMimeData data;
        QList<QUrl> urls;
        for (const QString &path : paths)
            urls += QUrl::fromLocalFile(path);
        data.setUrls(urls);
        QDragEnterEvent enter(QPoint(100, 100), Qt::CopyAction, &data, Qt::LeftButton,
                              Qt::NoModifier);
        QApplication::sendEvent(&window(), &enter);
        if (!enter.isAccepted())
            return false;
        QDropEvent drop(QPointF(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window(), &drop);
        return true;
    }

    QByteArray exported(const char *entry, const QString &name)
    {
        menuAction(QLatin1String(entry))->trigger();
        auto *dialog = window().findChild<QFileDialog *>();
        EXPECT_NE(dialog, nullptr);
        if (!dialog)
            return {};
        const QString path = home.path(name);
        emit dialog->fileSelected(path);
        dialog->close();
        EXPECT_TRUE(waitFor([&] { return notices()->textOf("export").contains(path); }));
        QFile file(path);
        EXPECT_TRUE(file.open(QIODevice::ReadOnly));
        return file.readAll();
    }

    qint64 m_chat = 0;
};

TEST_F(ChatFilesTest, AnExportedChatComesBackByDropWithItsBranches)
{
    const QByteArray file = exported("Export this chat", QStringLiteral("chat.json"));
    const int shown = int(chat().messages().size());
    const int siblings = chat().messages().last().siblingCount;
    EXPECT_GT(siblings, 1);
    chat().deleteConversations({m_chat});
    ASSERT_TRUE(drop({home.path(QStringLiteral("chat.json"))}));
    ASSERT_TRUE(waitFor([&] { return chat().conversations().size() == 2; }));
    EXPECT_NE(chat().currentConversation(), m_chat) << "the new one is shown";
    EXPECT_EQ(chat().messages().size(), shown);
    EXPECT_EQ(chat().messages().last().siblingCount, siblings);
    EXPECT_EQ(toJson({*chat().conversationTree(chat().currentConversation())}), file);
    EXPECT_TRUE(notices()->textOf("import").contains(QStringLiteral("imported: 1 ")));
    for (QPushButton *button : notices()->findChildren<QPushButton *>())
        button->click();
    EXPECT_EQ(chat().conversations().size(), 1) << "undone";
    EXPECT_TRUE(chat().messages().isEmpty());
}

TEST_F(ChatFilesTest, AChatThatIsHereIsNotImportedTwice)
{
    exported("Export all chats", QStringLiteral("all.json"));
    ASSERT_TRUE(drop({home.path(QStringLiteral("all.json"))}));
    EXPECT_TRUE(waitFor([&] {
        return notices()->textOf("import").contains(QStringLiteral("already here: 2"));
    })) << qPrintable(notices()->textOf("import"));
    EXPECT_EQ(chat().conversations().size(), 2);
    EXPECT_EQ(chat().currentConversation(), m_chat);
}

TEST_F(ChatFilesTest, WhatIsNotImportedIsSaidBesideWhatIs)
{
    ASSERT_TRUE(drop({write("two.json", R"([{"title": "Odd", "mapping": 1}, {"title": "Good",
        "history": {"messages": {"a": {"role": "user", "parentId": null, "content": "Look",
        "files": [{"type": "image"}]}}}}])")}));
    ASSERT_TRUE(waitFor([&] { return chat().conversations().size() == 3; }));
    const QString notice = notices()->textOf("import");
    for (const char *part : {"imported: 1 ", "two.json", "Odd", "files that were not imported: 1"})
        EXPECT_TRUE(notice.contains(QLatin1String(part))) << part << qPrintable(notice);
}

TEST_F(ChatFilesTest, AllChatsGoIntoOneFile)
{
    const QByteArray file = exported("Export all chats", QStringLiteral("all.json"));
    EXPECT_EQ(readChats(file).size(), 2);
}

TEST_F(ChatFilesTest, MarkdownAndPdf)
{
    const QByteArray text = exported("Export this chat", QStringLiteral("chat.md"));
    EXPECT_TRUE(QString::fromUtf8(text).contains(chat().messages().first().text));
    const QByteArray pdf = exported("Export this chat", QStringLiteral("chat.pdf"));
    EXPECT_TRUE(pdf.startsWith("%PDF-"));
    EXPECT_TRUE(toPdf(QStringLiteral("![x](/etc/passwd) <img src=\"/etc/passwd\">\n").repeated(500),
                      QStringLiteral("t"))
                    .startsWith("%PDF-"));
}

TEST_F(ChatFilesTest, TheChatInViewIsPrinted)
{
    const auto print = [&](const QString &path) {
        press("Ctrl+P");
        auto *dialog = window().findChild<QPrintDialog *>();
        ASSERT_NE(dialog, nullptr);
        EXPECT_TRUE(dialog->isVisible());
        for (QLineEdit *line : dialog->findChildren<QLineEdit *>())
            if (line->objectName() == QLatin1String("filename"))
                line->setText(path);
        dialog->accept();
        EXPECT_TRUE(waitFor([&] {
            return notices()->textOf(QStringLiteral("print")).contains(QStringLiteral("print")) &&
                   !notices()->textOf(QStringLiteral("print")).contains(QChar(0x2026));
        }));
    };
    const QString path = home.path(QStringLiteral("paper.pdf"));
    print(path);
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    const QByteArray paper = file.readAll();
    EXPECT_TRUE(paper.startsWith("%PDF-"));
    EXPECT_GT(paper.size(), 2000);
    EXPECT_TRUE(notices()->textOf(QStringLiteral("print")).contains(QStringLiteral("was printed")));
    activate();
    press("Ctrl+P");
    auto *dialog = window().findChild<QPrintDialog *>();
    ASSERT_NE(dialog, nullptr);
    press("Esc");
    EXPECT_TRUE(waitFor([&] { return !window().findChild<QPrintDialog *>(); }));
}

TEST_F(ChatFilesTest, APdfThatWasNotWrittenToItsEndIsNoticed)
{
    const QByteArray pdf = toPdf(QStringLiteral("Some words."), QStringLiteral("t"));
    EXPECT_TRUE(isCompletePdf(write("whole.pdf", pdf)));
    EXPECT_FALSE(isCompletePdf(write("cut.pdf", pdf.left(pdf.size() - 20))));
    EXPECT_FALSE(isCompletePdf(write("empty.pdf", {})));
    EXPECT_FALSE(isCompletePdf(QStringLiteral("/dev/full")));
    EXPECT_FALSE(isCompletePdf(home.path(QStringLiteral("absent.pdf"))));
}

TEST_F(ChatFilesTest, PagesAreAsLongAsTheChat)
{
    QPrinter printer(QPrinter::HighResolution);
    const auto pages = [&](int paragraphs) {
        const QString path = home.path(QStringLiteral("pages.pdf"));
        printer.setOutputFileName(path);
        printPages(QStringLiteral("A paragraph of some words.\n\n").repeated(paragraphs), printer);
        QFile file(path);
        EXPECT_TRUE(file.open(QIODevice::ReadOnly));
        return file.readAll().count("/Type /Page\n");
    };
    EXPECT_EQ(pages(2), 1);
    EXPECT_GT(pages(400), 4);
}

TEST_F(ChatFilesTest, WhatIsNoChatIsSaidAndChangesNothing)
{
    ASSERT_TRUE(drop({write("odd.json", "{\"a\": 1}")}));
    EXPECT_TRUE(
        waitFor([&] { return notices()->textOf("import").contains(QStringLiteral("odd.json")); }));
    EXPECT_EQ(chat().conversations().size(), 2);
    EXPECT_EQ(chat().currentConversation(), m_chat);
    EXPECT_FALSE(drop({write("picture.png", "x")}));
    EXPECT_FALSE(drop({write("chat.json", "{}"), write("picture.png", "x")}));
}

TEST_F(ChatFilesTest, SeveralChatsAreDeletedAndComeBackTogether)
{
    list()->setFocus();
    list()->selectAll();
    QTest::keyClick(list(), Qt::Key_Delete);
    EXPECT_TRUE(chat().conversations().isEmpty());
    EXPECT_EQ(chat().currentConversation(), 0);
    QAction *undo = menuAction(QStringLiteral("Undo the deletion"));
    ASSERT_TRUE(undo->isEnabled());
    undo->trigger();
    EXPECT_EQ(chat().conversations().size(), 2);
    EXPECT_FALSE(undo->isEnabled());
}

TEST_F(ChatFilesTest, ControlChoosesFurtherChatsWithoutOpeningThem)
{
    const QPoint other = list()->visualRect(list()->model()->index(1, 0)).center();
    QTest::mouseClick(list()->viewport(), Qt::LeftButton, Qt::ControlModifier, other);
    EXPECT_EQ(chat().currentConversation(), m_chat);
    QTest::mouseClick(list()->viewport(), Qt::LeftButton, {}, other);
    EXPECT_NE(chat().currentConversation(), m_chat);
}

} // namespace
} // namespace fireside::test
