// What servers of tools ask of the user, in the window: forms and pages.
#include "app/tools/mcp/client.h"
#include "app/tools/mcp/elicitation.h"
#include "tests/ui/program.h"
#include "ui/tools/input_bar.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QTest>

#include <utility>

namespace fireside::test {
namespace {

/// A server that only says what the test makes it say.
class SilentTransport : public mcp::Transport
{
public:
    void open() override {}
    void send(const mcp::Outgoing &message) override { sent += message.body; }
    void abandon(qint64) override {}
    void agree(const QString &) override {}
    void close() override { deleteLater(); }
    bool isRemote() const override { return false; }
    QList<ToolJson> sent;
};

class InputWindowTest : public ProgramTest
{
protected:
    void SetUp() override
    {
        start();
        m_transport = new SilentTransport;
        m_client = std::make_unique<mcp::Client>(m_transport, QStringLiteral("Post & Co <b>"));
        m_program->tools.inputs().follow(*m_client);
        QObject::connect(&m_program->tools, &ToolBox::browserWanted, m_client.get(),
                         [this](const QUrl &url) { m_opened += url; });
    }
    void TearDown() override { m_client.reset(); }
    void ask(const char *params)
    {
        emit m_transport->received({{"jsonrpc", "2.0"},
                                    {"id", 5},
                                    {"method", "elicitation/create"},
                                    {"params", *parsedJson(params)}});
    }
    InputBar *bar() { return window().findChild<InputBar *>(); }
    template <typename Widget>
    Widget *find(const char *name)
    {
        return bar()->findChild<Widget *>(QLatin1String(name));
    }
    void click(const char *name) { QTest::mouseClick(find<QPushButton>(name), Qt::LeftButton); }
    QByteArray answer() const
    {
        const ToolJson *const result =
            m_transport->sent.isEmpty() ? nullptr : memberOf(m_transport->sent.last(), "result");
        return result ? bytesOf(*result) : QByteArray();
    }

    SilentTransport *m_transport = nullptr;
    std::unique_ptr<mcp::Client> m_client;
    QList<QUrl> m_opened;
};

TEST_F(InputWindowTest, AFormIsFilledInCheckedAndSent)
{
    ask(R"({"message":"<b>Where to?</b>","requestedSchema":{"type":"object","properties":{
        "name":{"type":"string","title":"Your name","minLength":2},
        "age":{"type":"integer","default":30},
        "gift":{"type":"boolean","default":true},
        "size":{"type":"string","oneOf":[{"const":"s","title":"Small"},{"const":"l","title":"Large"}]},
        "days":{"type":"array","items":{"type":"string","enum":["mo","tu","we"]},"default":["tu"]}
        },"required":["name"]}})");
    ASSERT_TRUE(bar()->isVisible());
    EXPECT_TRUE(bar()->accessibleName().contains(QLatin1String("Post & Co <b>")));
    auto *message = find<QLabel>("inputMessage");
    EXPECT_EQ(message->text(), QStringLiteral("<b>Where to?</b>"));
    EXPECT_EQ(message->textFormat(), Qt::PlainText);
    auto *name = find<QLineEdit>("input name");
    ASSERT_NE(name, nullptr);
    EXPECT_TRUE(name->hasFocus());
    EXPECT_EQ(name->accessibleName(), QStringLiteral("Your name"));
    type(QStringLiteral("A"));
    click("inputAccept");
    EXPECT_TRUE(m_transport->sent.isEmpty()); // too short
    EXPECT_TRUE(bar()->isVisible());
    EXPECT_TRUE(name->hasFocus());
    EXPECT_TRUE(name->accessibleDescription().startsWith(QLatin1String("At least 2")));
    type(QStringLiteral("da"));
    auto *size = find<QComboBox>("input size");
    EXPECT_EQ(size->itemText(2), QStringLiteral("Large"));
    size->setCurrentIndex(2);
    find<QListWidget>("input days")->item(2)->setCheckState(Qt::Checked);
    find<QCheckBox>("input gift")->setChecked(false);
    click("inputAccept");
    EXPECT_EQ(answer(), R"({"action":"accept","content":{"name":"Ada","age":30,"gift":false,)"
                        R"("size":"l","days":["tu","we"]}})");
    EXPECT_FALSE(bar()->isVisible());
}

TEST_F(InputWindowTest, AFieldThatWasLeftSaysWhatIsWrongUntilItIsRight)
{
    window().resize(760, 700);
    ask(R"({"message":"m","requestedSchema":{"properties":{
        "code":{"type":"string","pattern":"^[A-Z]{3}$","description":"of an airport"},
        "other":{"type":"string"}}}})");
    auto *code = find<QLineEdit>("input code");
    const auto said = [code] { return code->accessibleDescription(); };
    type(QStringLiteral("tx"));
    EXPECT_EQ(said(), QStringLiteral("of an airport"));
    int height = 0; // once it is laid out
    while (std::exchange(height, bar()->height()) != bar()->height())
        QTest::qWait(20);
    QTest::keyClick(code, Qt::Key_Tab);
    EXPECT_TRUE(find<QLineEdit>("input other")->hasFocus());
    EXPECT_TRUE(said().contains(QLatin1String("^[A-Z]{3}$"))) << qPrintable(said());
    EXPECT_TRUE(waitFor([&] { return bar()->height() > height; }));
    code->setFocus();
    QTest::keyClick(code, Qt::Key_A, Qt::ControlModifier);
    type(QStringLiteral("TX"));
    EXPECT_TRUE(said().contains(QLatin1String("^[A-Z]{3}$")));
    type(QStringLiteral("L"));
    EXPECT_EQ(said(), QStringLiteral("of an airport"));
    EXPECT_TRUE(waitFor([&] { return bar()->height() == height; }));
    click("inputAccept");
    EXPECT_EQ(answer(), R"({"action":"accept","content":{"code":"TXL"}})");
}

TEST_F(InputWindowTest, WhatIsSaidDoesNotMoveTheButtonUnderTheMouse)
{
    window().resize(800, 700);
    ask(R"({"message":"m","requestedSchema":{"properties":{"x":{"type":"string","minLength":5}}}})");
    type(QStringLiteral("ab"));
    auto *decline = find<QPushButton>("inputDecline");
    QTest::qWait(0);
    const QPoint before = decline->mapTo(&window(), QPoint(0, 0));
    find<QLineEdit>("input x")->clearFocus(); // as a press does
    QTest::qWait(0);
    EXPECT_FALSE(find<QLineEdit>("input x")->accessibleDescription().isEmpty());
    EXPECT_EQ(decline->mapTo(&window(), QPoint(0, 0)), before);
}

TEST_F(InputWindowTest, DecliningAndDismissingAreTwoThings)
{
    for (const auto &[button, action] :
         {std::pair("inputDecline", "decline"), std::pair("inputCancel", "cancel")}) {
        ask(R"({"message":"m","requestedSchema":{"properties":{}}})");
        ASSERT_TRUE(bar()->isVisible());
        click(button);
        EXPECT_EQ(answer(), "{\"action\":\"" + QByteArray(action) + "\"}");
        EXPECT_FALSE(bar()->isVisible());
    }
}

TEST_F(InputWindowTest, APageIsShownWholeAndOpenedAfterAClick)
{
    ask(R"({"mode":"url","message":"pay","elicitationId":"e","url":"https://shop.example/%3Ci%3E?a=b&c"})");
    ASSERT_TRUE(bar()->isVisible());
    auto *page = find<QLabel>("inputPage");
    EXPECT_TRUE(page->isVisible());
    EXPECT_TRUE(page->accessibleName().startsWith(QLatin1String("https://shop.example/%3Ci%3E")));
    EXPECT_TRUE(page->text().contains(QLatin1String("<b>s")));
    EXPECT_FALSE(page->text().contains(QLatin1String("<i>")));
    EXPECT_TRUE(m_opened.isEmpty());
    click("inputAccept");
    ASSERT_EQ(m_opened.size(), 1);
    EXPECT_EQ(m_opened.first().host(), QStringLiteral("shop.example"));
    EXPECT_EQ(answer(), R"({"action":"accept"})");
    EXPECT_FALSE(bar()->isVisible());
}

TEST_F(InputWindowTest, QuestionsComeOneAfterTheOtherAndGoWithTheirServer)
{
    ask(R"({"message":"first","requestedSchema":{"properties":{}}})");
    ask(R"({"message":"second","requestedSchema":{"properties":{}}})");
    EXPECT_EQ(find<QLabel>("inputMessage")->text(), QStringLiteral("first"));
    click("inputCancel");
    EXPECT_EQ(find<QLabel>("inputMessage")->text(), QStringLiteral("second"));
    EXPECT_TRUE(bar()->isVisible());
    m_client.reset();
    EXPECT_FALSE(bar()->isVisible());
}

TEST_F(InputWindowTest, LettersThatSomebodyWritesDoNotLandInIt)
{
    field()->setFocus();
    type(QStringLiteral("Dear "));
    ask(R"({"message":"m","requestedSchema":{"properties":{"x":{"type":"string"}}}})");
    ASSERT_TRUE(bar()->isVisible());
    EXPECT_TRUE(field()->hasFocus());
}

} // namespace
} // namespace fireside::test
