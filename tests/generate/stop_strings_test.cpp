#include "engine/generate/stop_strings.h"

#include <gtest/gtest.h>

namespace fireside {
namespace {

/// Every way to cut the text into two pieces must show the same.
std::string shown(const std::vector<std::string> &stops, const std::string &text, bool &found)
{
    std::string first;
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
        StopStrings s(stops);
        std::string out = s.push(text.substr(0, cut));
        out += s.push(text.substr(cut));
        found = s.found();
        out += s.finish();
        if (cut == 0)
            first = out;
        else
            EXPECT_EQ(out, first) << "cut at " << cut;
    }
    return first;
}

TEST(StopStrings, TextEndsBeforeTheFirstStop)
{
    bool found = false;
    EXPECT_EQ(shown({"END", "###"}, "one ### two END three", found), "one ");
    EXPECT_TRUE(found);
    EXPECT_EQ(shown({"END"}, "no stop here", found), "no stop here");
    EXPECT_FALSE(found);
    EXPECT_EQ(shown({"END"}, "almost EN", found), "almost EN");
    EXPECT_FALSE(found);
    EXPECT_EQ(shown({"aab"}, "aaab", found), "a");
    EXPECT_TRUE(found);
    EXPECT_EQ(shown({""}, "text", found), "text");
    EXPECT_FALSE(found);
}

TEST(StopStrings, OnlyAPossibleBeginningIsHeldBack)
{
    StopStrings s({"\nUser:"});
    EXPECT_EQ(s.push("Hello"), "Hello");
    EXPECT_EQ(s.push("\nUs"), "");
    EXPECT_EQ(s.push("ually"), "\nUsually");
    EXPECT_EQ(s.push("\nUser: hi"), "");
    EXPECT_TRUE(s.found());
    EXPECT_EQ(s.push("more"), "");
}

} // namespace
} // namespace fireside
