#pragma once
#include "app/settings/setting.h"
#include "app/settings/word_bias.h"

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

    // engine/generate/sampler_settings.h says what each of these does, and in which order.
    double frequencyPenalty = 0, presencePenalty = 0;
    double dryMultiplier = 0, dryBase = 1.75; // 0: off
    int dryAllowedLength = 2, dryWindow = 0;  // tokens; 0: all
    std::vector<std::string> dryBreakers{"\n", ":", "\"", "*"};
    double typicalP = 1, topNSigma = 0;                   // 1 and 0: off
    double xtcProbability = 0, xtcThreshold = 0.1;        // 0: off
    double temperatureRange = 0, temperatureExponent = 1; // 0: off
    std::string mirostat = "off";
    double mirostatTarget = 5, mirostatRate = 0.1;
    std::vector<std::string> logitBias; // parseWordBias()
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

inline constexpr std::array kMirostatChoices{SettingChoice{"off", Settings::tr("Off")},
                                             SettingChoice{"1", Settings::tr("Mirostat 1")},
                                             SettingChoice{"2", Settings::tr("Mirostat 2")}};

inline constexpr std::array kSections{Settings::tr("Instructions"),
                                      Settings::tr("Choice of words"),
                                      Settings::tr("Repetition"),
                                      Settings::tr("Length and end"),
                                      Settings::tr("Thinking"),
                                      Settings::tr("Further ways to choose words"),
                                      Settings::tr("Repeated sequences (DRY)")};
inline constexpr const char *kInstructionsSection = kSections[0], *kWordsSection = kSections[1],
                            *kRepetitionSection = kSections[2], *kLengthSection = kSections[3],
                            *kThinkingSection = kSections[4], *kMoreWordsSection = kSections[5],
                            *kMoreRepetitionSection = kSections[6];

inline constexpr std::array kWhenFullChoices{
    SettingChoice{"ask", Settings::tr("Ask")},
    SettingChoice{"drop", Settings::tr("Leave out the oldest messages")},
    SettingChoice{"summarise", Settings::tr("Summarise the oldest messages")}};

inline constexpr std::array kSamplingTable{
    field<&SamplingSettings::systemPrompt>(
        {.key = "systemPrompt",
         .option = "--system",
         .label = Settings::tr("System &prompt"),
         .section = kInstructionsSection,
         .help = Settings::tr("Told to the model before every chat. Empty: the model's own."),
         .lines = 4,
         .example = Settings::tr("For example: You are a patient teacher. Answer briefly.")}),
    field<&SamplingSettings::temperature>(
        {.key = "temperature",
         .option = "--temp",
         .label = Settings::tr("&Temperature"),
         .section = kWordsSection,
         .help =
             Settings::tr("How freely words are chosen. 0: always the likeliest one; above 1 it "
                          "gets wild."),
         .high = 5,
         .step = 0.05}),
    field<&SamplingSettings::topK>(
        {.key = "topK",
         .option = "--top-k",
         .label = Settings::tr("Top-&k"),
         .section = kWordsSection,
         .help = Settings::tr("Choose only among this many of the likeliest words. 0: off."),
         .high = 1'000'000,
         .lowest = Settings::tr("Off")}),
    field<&SamplingSettings::topP>(
        {.key = "topP",
         .option = "--top-p",
         .label = Settings::tr("T&op-p"),
         .section = kWordsSection,
         .help = Settings::tr("Choose only among the likeliest words that together reach this "
                              "probability. 1: off."),
         .low = 0.01,
         .high = 1,
         .step = 0.01}),
    field<&SamplingSettings::minP>(
        {.key = "minP",
         .option = "--min-p",
         .label = Settings::tr("M&in-p"),
         .section = kWordsSection,
         .help = Settings::tr("Leave out words less likely than this part of the likeliest one. 0: "
                              "off."),
         .high = 1,
         .step = 0.01}),
    field<&SamplingSettings::seed>(
        {.key = "seed",
         .option = "--seed",
         .label = Settings::tr("&Seed"),
         .section = kWordsSection,
         .help =
             Settings::tr("The same number, question and settings give the same reply. Empty: a "
                          "new one each time, kept with the reply."),
         .optionHelp = "The same number, question and options give the same reply. -1: a new one "
                       "each time.",
         .low = -1,
         .high = 9.2e18,
         .lowest = Settings::tr("New for each reply")}),
    field<&SamplingSettings::repeatPenalty>(
        {.key = "repeatPenalty",
         .option = "--repeat-penalty",
         .label = Settings::tr("Repetition p&enalty"),
         .section = kRepetitionSection,
         .help =
             Settings::tr("Makes words that were used already less likely. 1: off; 1.1 is mild."),
         .low = 0.5,
         .high = 3,
         .step = 0.05}),
    field<&SamplingSettings::frequencyPenalty>(
        {.key = "frequencyPenalty",
         .option = "--frequency-penalty",
         .label = Settings::tr("&Frequency penalty"),
         .section = kRepetitionSection,
         .help = Settings::tr(
             "Makes a word less likely with every time it was used. 0: off; below 0 likelier."),
         .low = -2,
         .high = 2,
         .step = 0.1}),
    field<&SamplingSettings::presencePenalty>(
        {.key = "presencePenalty",
         .option = "--presence-penalty",
         .label = Settings::tr("Presen&ce penalty"),
         .section = kRepetitionSection,
         .help = Settings::tr(
             "Makes a word less likely once it was used, however often. 0: off; below 0 likelier."),
         .low = -2,
         .high = 2,
         .step = 0.1}),
    field<&SamplingSettings::repeatWindow>(
        {.key = "repeatWindow",
         .option = "--repeat-last",
         .label = Settings::tr("Penalties look &back"),
         .section = kRepetitionSection,
         .help = Settings::tr("How many of the latest tokens the penalties count."),
         .high = 1'000'000,
         .step = 16,
         .unit = Settings::tr(" tokens")}),
    field<&SamplingSettings::maxTokens>(
        {.key = "maxTokens",
         .option = "--max-tokens",
         .label = Settings::tr("&Longest reply"),
         .section = kLengthSection,
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
         .section = kLengthSection,
         .help =
             Settings::tr("One per line: a reply ends before the first of these. \\n stands for a "
                          "line break, \\t for a tab, \\\\ for a backslash."),
         .optionHelp = "A reply ends before this text; may be given several times.",
         .lines = 3}),
    field<&SamplingSettings::whenFull>(
        {.key = "whenFull",
         .label = Settings::tr("When a chat outgro&ws the context"),
         .section = kLengthSection,
         .help = Settings::tr("Nothing is lost: the messages stay in the chat, and a line shows "
                              "where the model's view begins. A summary is written by the model "
                              "and stands in the chat."),
         .choices = kWhenFullChoices}),
    field<&SamplingSettings::thinking>(
        {.key = "thinking",
         .option = "--thinking",
         .label = Settings::tr("Thi&nking"),
         .section = kThinkingSection,
         .help = Settings::tr("Whether the model thinks before it answers. Only some models can "
                              "be told."),
         .choices = kThinkingChoices}),
    field<&SamplingSettings::reasoningEffort>(
        {.key = "reasoningEffort",
         .option = "--effort",
         .label = Settings::tr("Thinking e&ffort"),
         .section = kThinkingSection,
         .help = Settings::tr("How thoroughly the model thinks. Only some models can be told."),
         .choices = kEffortChoices}),
    field<&SamplingSettings::thinkingBudget>(
        {.key = "thinkingBudget",
         .option = "--thinking-budget",
         .label = Settings::tr("Longest t&houghts"),
         .section = kThinkingSection,
         .help = Settings::tr("In tokens: then the model stops thinking and answers. 0: no "
                              "limit."),
         .high = 10'000'000,
         .step = 128,
         .lowest = Settings::tr("No limit")}),
    field<&SamplingSettings::typicalP>(
        {.key = "typicalP",
         .option = "--typical",
         .label = Settings::tr("Typical-p"),
         .section = kMoreWordsSection,
         .advanced = true,
         .help = Settings::tr("Choose only among the words that are about as surprising as can be "
                              "expected here, as many as reach this probability. 1: off."),
         .low = 0.01,
         .high = 1,
         .step = 0.01}),
    field<&SamplingSettings::topNSigma>(
        {.key = "topNSigma",
         .option = "--top-n-sigma",
         .label = Settings::tr("Top-n-sigma"),
         .section = kMoreWordsSection,
         .advanced = true,
         .help = Settings::tr("Leave out words that lie further below the likeliest one than this "
                              "many standard deviations. 0: off."),
         .high = 10,
         .step = 0.1}),
    field<&SamplingSettings::xtcProbability>(
        {.key = "xtcProbability",
         .option = "--xtc-probability",
         .label = Settings::tr("XTC probability"),
         .section = kMoreWordsSection,
         .advanced = true,
         .help = Settings::tr("How often the likeliest words are left out, so that another good "
                              "one is taken. 0: off."),
         .high = 1,
         .step = 0.05}),
    field<&SamplingSettings::xtcThreshold>(
        {.key = "xtcThreshold",
         .option = "--xtc-threshold",
         .label = Settings::tr("XTC threshold"),
         .section = kMoreWordsSection,
         .advanced = true,
         .help = Settings::tr("Only words at least as likely as this are left out, and one of them "
                              "always stays. Above 0.5 nothing is."),
         .high = 1,
         .step = 0.01}),
    field<&SamplingSettings::temperatureRange>(
        {.key = "temperatureRange",
         .option = "--temp-range",
         .label = Settings::tr("Dynamic temperature"),
         .section = kMoreWordsSection,
         .advanced = true,
         .help = Settings::tr("The temperature is so much lower where the model is sure, and so "
                              "much higher where it is not. 0: off."),
         .high = 5,
         .step = 0.05}),
    field<&SamplingSettings::temperatureExponent>(
        {.key = "temperatureExponent",
         .option = "--temp-exponent",
         .label = Settings::tr("Dynamic exponent"),
         .section = kMoreWordsSection,
         .advanced = true,
         .help = Settings::tr(
             "Above 1 the dynamic temperature stays low for longer, below 1 it rises soon."),
         .low = 0.1,
         .high = 10,
         .step = 0.1}),
    field<&SamplingSettings::mirostat>(
        {.key = "mirostat",
         .option = "--mirostat",
         .label = Settings::tr("Mirostat"),
         .section = kMoreWordsSection,
         .advanced = true,
         .help = Settings::tr("Keeps the surprise of the words near a target. Then top-k, top-p, "
                              "min-p and all that follows them are not used."),
         .choices = kMirostatChoices}),
    field<&SamplingSettings::mirostatTarget>(
        {.key = "mirostatTarget",
         .option = "--mirostat-target",
         .label = Settings::tr("Mirostat target"),
         .section = kMoreWordsSection,
         .advanced = true,
         .help = Settings::tr("The surprise that Mirostat aims at, in bits a token."),
         .high = 20,
         .step = 0.1}),
    field<&SamplingSettings::mirostatRate>(
        {.key = "mirostatRate",
         .option = "--mirostat-rate",
         .label = Settings::tr("Mirostat rate"),
         .section = kMoreWordsSection,
         .advanced = true,
         .help = Settings::tr("How quickly Mirostat answers to surprises."),
         .high = 1,
         .step = 0.05}),
    field<&SamplingSettings::logitBias>(
        {.key = "logitBias",
         .option = "--logit-bias",
         .label = Settings::tr("Likelier &words"),
         .section = kMoreWordsSection,
         .advanced = true,
         .help = Settings::tr(
             "One per line, a word or its beginning and how much likelier it becomes: maybe=-5, "
             "certainly=2. -100: never, 100: always. #1234=-5 is the token with this number."),
         .lines = 2,
         .example = Settings::tr("maybe=-5"),
         .item = isWordBias}),
    field<&SamplingSettings::dryMultiplier>(
        {.key = "dryMultiplier",
         .option = "--dry-multiplier",
         .label = Settings::tr("DRY strength"),
         .section = kMoreRepetitionSection,
         .advanced = true,
         .help = Settings::tr("Makes words less likely that would go on with a sequence that was "
                              "written before. 0: off; 0.8 is usual."),
         .high = 10,
         .step = 0.1}),
    field<&SamplingSettings::dryBase>(
        {.key = "dryBase",
         .option = "--dry-base",
         .label = Settings::tr("DRY base"),
         .section = kMoreRepetitionSection,
         .advanced = true,
         .help =
             Settings::tr("How much stronger it becomes with each further token of the sequence."),
         .low = 1,
         .high = 10,
         .step = 0.05}),
    field<&SamplingSettings::dryAllowedLength>(
        {.key = "dryAllowedLength",
         .option = "--dry-allowed-length",
         .label = Settings::tr("DRY allowed length"),
         .section = kMoreRepetitionSection,
         .advanced = true,
         .help = Settings::tr("Sequences shorter than this may be repeated."),
         .low = 1,
         .high = 1000,
         .unit = Settings::tr(" tokens")}),
    field<&SamplingSettings::dryWindow>(
        {.key = "dryWindow",
         .option = "--dry-last",
         .label = Settings::tr("DRY looks back"),
         .section = kMoreRepetitionSection,
         .advanced = true,
         .help = Settings::tr("How many of the latest tokens are searched for sequences. 0: all."),
         .high = 10'000'000,
         .step = 64,
         .lowest = Settings::tr("All"),
         .unit = Settings::tr(" tokens")}),
    field<&SamplingSettings::dryBreakers>(
        {.key = "dryBreakers",
         .option = "--dry-breaker",
         .label = Settings::tr("DRY breakers"),
         .section = kMoreRepetitionSection,
         .advanced = true,
         .help = Settings::tr("One per line: no sequence goes beyond a token that holds one of "
                              "these. \\n stands for a line break."),
         .optionHelp =
             "No sequence goes beyond a token that holds this text; may be given several times, "
             "and replaces a line break, a colon, a quotation mark and an asterisk.",
         .lines = 3}),
};

inline std::span<const SettingOf<SamplingSettings>> SamplingSettings::table()
{
    return kSamplingTable;
}

} // namespace fireside
