#pragma once
#include "tests/support/no_space.h"
#include "tests/support/scoped_env.h"
#include "tests/support/without_privileges.h"
#include "tests/ui/program.h"

#include <optional>

namespace fireside::test {

/// A state of the whole program in which something that actions rely on is missing.
struct Situation
{
    const char *name;
    bool chats = false;    // stored ones, and the newer one is open
    bool engine = true;    // its thread was asked for the devices
    bool model = false;    // loaded and ready
    bool replying = false; // a reply that does not end by itself
    enum Disk { Good, ReadOnly, Full } disk = Good;
    bool unreadableModel = false; // the load of one has failed
    enum Clipboard { Nobody, NoFormats, Text } clipboard = Nobody;
};

inline constexpr Situation kSituations[] = {
    {.name = "JustStarted", .engine = false},
    {.name = "WithoutModelAndChat"},
    {.name = "ClipboardWithoutFormats", .clipboard = Situation::NoFormats},
    {.name = "ClipboardWithText", .chats = true, .clipboard = Situation::Text},
    {.name = "ChatWithoutModel", .chats = true},
    {.name = "ModelWithoutChat", .model = true},
    {.name = "ModelAndChat", .chats = true, .model = true},
    {.name = "Replying", .chats = true, .model = true, .replying = true},
    {.name = "ReadOnlyFolder", .chats = true, .engine = false, .disk = Situation::ReadOnly},
    {.name = "FullDisk", .chats = true, .engine = false, .disk = Situation::Full},
    {.name = "UnreadableModel", .chats = true, .unreadableModel = true},
};

inline void PrintTo(const Situation &situation, std::ostream *out)
{
    *out << situation.name;
}

/// In each test the program starts in the situation and ends with it.
class SituationTest : public ProgramTest, public testing::WithParamInterface<Situation>
{
protected:
    void SetUp() override { enter(); }
    void TearDown() override { leave(); }

    void enter(); // again: from the beginning
    void leave();
    static QString clipboardText();

    /// What stands in the composer in every situation.
    static QString draft() { return QStringLiteral("A draft"); }
    qint64 m_chat = 0; // the open one, 0: a new one

private:
    void setClipboard();
    void breakDisk();
    void failToLoad();

    std::unique_ptr<PrivateHome> m_home; // one per entering
    std::optional<WithoutPrivileges> m_unprivileged;
    std::optional<NoSpace> m_full;
    std::optional<ScopedEnv> m_noDrivers;
    QString m_readOnly;
};

} // namespace fireside::test
