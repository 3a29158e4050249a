// Real chat templates against what Jinja2 renders for them.
#include "engine/core/error.h"
#include "engine/text/chat_template.h"
#include "engine/text/jinja/values/budget.h"
#include "tests/support/require.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

namespace fireside {
namespace {

std::string readFile(const std::filesystem::path &path)
{
    std::ifstream in(path, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

TEST(TemplateGolden, EveryRealTemplateRendersAsInJinja2)
{
    const std::filesystem::path folder =
        std::filesystem::path(FIRESIDE_SHARED_DATA) / "golden/chat-templates";
    if (!std::filesystem::exists(folder / "vectors.json"))
        FIRESIDE_SKIP("real chat templates are not here: " + folder.string());
    const auto golden = nlohmann::ordered_json::parse(readFile(folder / "vectors.json"));
    const std::string now = golden["now"];

    std::map<std::string, ChatTemplate> templates;
    std::size_t compared = 0;
    std::map<std::string, std::uint64_t> maxSteps;
    for (const auto &vector : golden["vectors"]) {
        const std::string name = vector["template"];
        SCOPED_TRACE(name + ", " + std::string(vector["case"]));
        auto found = templates.find(name);
        if (found == templates.end())
            found = templates.emplace(name, ChatTemplate(readFile(folder / name))).first;
        ++compared;
        if (vector.contains("output")) {
            try {
                std::uint64_t steps = 0;
                EXPECT_EQ(found->second.render(vector["context"], now, &steps).text,
                          std::string(vector["output"]));
                maxSteps[name] = std::max(maxSteps[name], steps);
            } catch (const Error &error) {
                ADD_FAILURE() << error.what();
            }
            continue;
        }
        std::string message = vector["error"];
        if (message.starts_with("TypeError: "))
            message.erase(0, 11);
        try {
            ADD_FAILURE() << found->second.render(vector["context"], now).text;
        } catch (const Error &error) {
            EXPECT_EQ(error.kind(), ErrorKind::BadInput);
            EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
        }
    }
    for (const auto &[name, steps] : maxSteps) {
        std::printf("%-70s %llu steps at most\n", name.c_str(),
                    static_cast<unsigned long long>(steps));
        EXPECT_GT(steps, 0u) << name;
        EXPECT_LT(steps, jinja::Limits{}.steps / 20) << name << " is too near to the limit";
    }
    EXPECT_GE(templates.size(), 33u);
    EXPECT_GE(compared, 297u);
}

} // namespace
} // namespace fireside
