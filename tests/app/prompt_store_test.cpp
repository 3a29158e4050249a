#include "app/settings/prompt_store.h"

#include "support.h"

namespace fireside::test {
namespace {

class PromptStoreTest : public ::testing::Test
{
protected:
    PromptStoreTest() { qputenv("XDG_CONFIG_HOME", newFolder().toUtf8()); }
    static QStringList names(const QList<Prompt> &prompts)
    {
        QStringList names;
        for (const Prompt &prompt : prompts)
            names += prompt.name;
        return names;
    }
};

TEST(PromptTest, VariablesAreFilledInOnce)
{
    const QString text = QStringLiteral("{{a}} to {{ b c }} and {{a}}, {{}} {x} {{no\nway}}");
    EXPECT_EQ(promptVariables(text), (QStringList{QStringLiteral("a"), QStringLiteral("b c")}));
    EXPECT_EQ(filledPrompt(text, {{QStringLiteral("a"), QStringLiteral("{{b c}}")},
                                  {QStringLiteral("b c"), QStringLiteral("2")}}),
              QStringLiteral("{{b c}} to 2 and {{b c}}, {{}} {x} {{no\nway}}"));
    EXPECT_EQ(filledPrompt(text, {}), text);
}

TEST_F(PromptStoreTest, PromptsAreKeptAndFound)
{
    PromptStore store;
    store.save({}, {QStringLiteral("Translate"), QStringLiteral("Into {{language}}:"), false});
    store.save({}, {QStringLiteral("A critic"), QStringLiteral("You find faults."), true});
    store.save({}, {QStringLiteral("Summary"), QStringLiteral("Translate nothing."), false});
    EXPECT_EQ(store.save({}, {QStringLiteral("summary"), QStringLiteral("x"), false}),
              QStringLiteral("summary (2)"));
    EXPECT_EQ(store.save({}, {QString(), QStringLiteral("y"), false}), QStringLiteral("Prompt"));
    const PromptStore again;
    EXPECT_EQ(names(again.prompts()),
              (QStringList{QStringLiteral("A critic"), QStringLiteral("Prompt"),
                           QStringLiteral("Summary"), QStringLiteral("summary (2)"),
                           QStringLiteral("Translate")}));
    EXPECT_TRUE(again.prompts()[0].system);
    EXPECT_EQ(names(again.matching(QStringLiteral("tra"))),
              (QStringList{QStringLiteral("Translate"), QStringLiteral("Summary")}))
        << "names first";
    EXPECT_EQ(names(again.matching(QStringLiteral("FAULTS you"))),
              QStringList{QStringLiteral("A critic")});
    EXPECT_TRUE(again.matching(QStringLiteral("zebra")).isEmpty());
    EXPECT_EQ(again.matching(QString()).size(), 5);

    EXPECT_EQ(store.save(QStringLiteral("Summary"),
                         {QStringLiteral("Short"), QStringLiteral("z"), false}),
              QStringLiteral("Short"));
    store.remove(QStringLiteral("prompt"));
    EXPECT_EQ(store.prompts().size(), 4);
}

TEST_F(PromptStoreTest, PromptsGoAndComeAsAFile)
{
    const QString path = newFolder() + QStringLiteral("/p.json");
    PromptStore store;
    store.save({}, {QStringLiteral("One"), QStringLiteral("1 {{x}}"), true});
    ASSERT_TRUE(store.exportTo(path));
    EXPECT_EQ(store.importFrom(path), 0) << "it is there already";
    store.remove(QStringLiteral("One"));
    EXPECT_EQ(store.importFrom(path), 1);
    EXPECT_EQ(store.prompts(),
              (QList<Prompt>{{QStringLiteral("One"), QStringLiteral("1 {{x}}"), true}}));
    writeFile(path, "{\"format\":\"fireside-presets\",\"entries\":[]}");
    EXPECT_EQ(store.importFrom(path), -1);
    EXPECT_FALSE(store.problem().isEmpty());
    writeFile(path, "{\"format\":\"fireside-prompts\",\"entries\":[3,{},{\"name\":\"a\"},"
                    "{\"text\":\"b\"}]}");
    EXPECT_EQ(store.importFrom(path), 1);
}

} // namespace
} // namespace fireside::test
