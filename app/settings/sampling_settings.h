#pragma once
#include "app/settings/setting.h"

#include <array>

namespace fireside {

/// How replies are drawn; kept with each chat and in the record of each reply.
struct SamplingSettings
{
    std::string systemPrompt;
    double temperature = 0.7;   // 0: greedy
    int topK = 40;              // 0: off
    double topP = 0.95;         // 1: off
    double minP = 0.05;         // 0: off
    double repeatPenalty = 1.0; // 1: off
    int repeatWindow = 64;      // tokens
    std::int64_t seed = -1;     // -1: a new one for each reply (recorded with it)
    int maxTokens = 0;          // 0: until the context is full
    std::vector<std::string> stopStrings;
    std::string thinking = "auto"; // what a model's template can be told of these
    std::string reasoningEffort = "auto";
    int thinkingBudget = 0;       // tokens; 0: no limit
    std::string whenFull = "ask"; // what becomes of a chat that outgrows the context
    bool operator==(const SamplingSettings &) const = default;

    static std::span<const SettingOf<SamplingSettings>> table();
};

inline constexpr std::array kThinkingChoices{
    SettingChoice{"auto", Settings::tr("As the model likes")},
    SettingChoice{"on", Settings::tr("On")}, SettingChoice{"off", Settings::tr("Off")}};
inline constexpr std::array kEffortChoices{
    SettingChoice{"auto", Settings::tr("As the model likes")},
    SettingChoice{"low", Settings::tr("Low")}, SettingChoice{"medium", Settings::tr("Medium")},
    SettingChoice{"high", Settings::tr("High")}};

inline constexpr std::array kWhenFullChoices{
    SettingChoice{"ask", Settings::tr("Ask")},
    SettingChoice{"drop", Settings::tr("Leave out the oldest messages")},
    SettingChoice{"summarise", Settings::tr("Summarise the oldest messages")}};

inline constexpr std::array kSamplingTable{
    field<&SamplingSettings::systemPrompt>(
        {.key = "systemPrompt",
         .option = "--system",
         .label = Settings::tr("System &prompt"),
         .help = Settings::tr("Told to the model before every chat. Empty: the model's own."),
         .lines = 4,
         .example = Settings::tr("For example: You are a patient teacher. Answer briefly.")}),
    field<&SamplingSettings::temperature>(
        {.key = "temperature",
         .option = "--temp",
         .label = Settings::tr("&Temperature"),
         .help =
             Settings::tr("How freely words are chosen. 0: always the likeliest one; above 1 it "
                          "gets wild."),
         .high = 5,
         .step = 0.05}),
    field<&SamplingSettings::topK>(
        {.key = "topK",
         .option = "--top-k",
         .label = Settings::tr("Top-&k"),
         .help = Settings::tr("Choose only among this many of the likeliest words. 0: off."),
         .high = 1'000'000,
         .lowest = Settings::tr("Off")}),
    field<&SamplingSettings::topP>(
        {.key = "topP",
         .option = "--top-p",
         .label = Settings::tr("T&op-p"),
         .help = Settings::tr("Choose only among the likeliest words that together reach this "
                              "probability. 1: off."),
         .low = 0.01,
         .high = 1,
         .step = 0.01}),
    field<&SamplingSettings::minP>(
        {.key = "minP",
         .option = "--min-p",
         .label = Settings::tr("M&in-p"),
         .help = Settings::tr("Leave out words less likely than this part of the likeliest one. 0: "
                              "off."),
         .high = 1,
         .step = 0.01}),
    field<&SamplingSettings::repeatPenalty>(
        {.key = "repeatPenalty",
         .option = "--repeat-penalty",
         .label = Settings::tr("Repetition p&enalty"),
         .help =
             Settings::tr("Makes words that were used already less likely. 1: off; 1.1 is mild."),
         .low = 0.5,
         .high = 3,
         .step = 0.05}),
    field<&SamplingSettings::repeatWindow>(
        {.key = "repeatWindow",
         .option = "--repeat-last",
         .label = Settings::tr("Penalty looks &back"),
         .help = Settings::tr("How many of the latest tokens the repetition penalty counts."),
         .high = 1'000'000,
         .step = 16,
         .unit = Settings::tr(" tokens")}),
    field<&SamplingSettings::seed>(
        {.key = "seed",
         .option = "--seed",
         .label = Settings::tr("&Seed"),
         .help =
             Settings::tr("The same number, question and settings give the same reply. Empty: a "
                          "new one each time, kept with the reply."),
         .optionHelp = "The same number, question and options give the same reply. -1: a new one "
                       "each time.",
         .low = -1,
         .high = 9.2e18,
         .lowest = Settings::tr("New for each reply")}),
    field<&SamplingSettings::maxTokens>(
        {.key = "maxTokens",
         .option = "--max-tokens",
         .label = Settings::tr("&Longest reply"),
         .help =
             Settings::tr("In tokens; a token is about three quarters of an English word. 0: until "
                          "the context is full."),
         .high = 10'000'000,
         .step = 128,
         .lowest = Settings::tr("Until the context is full")}),
    field<&SamplingSettings::stopStrings>(
        {.key = "stopStrings",
         .option = "--stop",
         .label = Settings::tr("Stop strin&gs"),
         .help =
             Settings::tr("One per line: a reply ends before the first of these. \\n stands for a "
                          "line break, \\t for a tab, \\\\ for a backslash."),
         .optionHelp = "A reply ends before this text; may be given several times.",
         .lines = 3}),
    field<&SamplingSettings::thinking>(
        {.key = "thinking",
         .option = "--thinking",
         .label = Settings::tr("Thi&nking"),
         .help = Settings::tr("Whether the model thinks before it answers. Only some models can "
                              "be told."),
         .choices = kThinkingChoices}),
    field<&SamplingSettings::reasoningEffort>(
        {.key = "reasoningEffort",
         .option = "--effort",
         .label = Settings::tr("Thinking e&ffort"),
         .help = Settings::tr("How thoroughly the model thinks. Only some models can be told."),
         .choices = kEffortChoices}),
    field<&SamplingSettings::thinkingBudget>(
        {.key = "thinkingBudget",
         .option = "--thinking-budget",
         .label = Settings::tr("Longest t&houghts"),
         .help = Settings::tr("In tokens: then the model stops thinking and answers. 0: no "
                              "limit."),
         .high = 10'000'000,
         .step = 128,
         .lowest = Settings::tr("No limit")}),
    field<&SamplingSettings::whenFull>(
        {.key = "whenFull",
         .label = Settings::tr("When a chat outgro&ws the context"),
         .help = Settings::tr("Nothing is lost: the messages stay in the chat, and a line shows "
                              "where the model's view begins. A summary is written by the model "
                              "and stands in the chat."),
         .choices = kWhenFullChoices}),
};

inline std::span<const SettingOf<SamplingSettings>> SamplingSettings::table()
{
    return kSamplingTable;
}

} // namespace fireside
