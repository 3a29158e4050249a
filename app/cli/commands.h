#pragma once
#include <CLI/App.hpp>

// One function per command: adds its subcommand with its options to the program. What the command
// does runs as the subcommand's callback; a failure is an Error.
namespace fireside::cli {

void addDevices(CLI::App &app);
void addRun(CLI::App &app);
void addChat(CLI::App &app);
void addServe(CLI::App &app);
void addLogits(CLI::App &app);
void addEmbed(CLI::App &app);
void addTokenize(CLI::App &app);
void addTemplate(CLI::App &app);
void addBench(CLI::App &app);
void addInspect(CLI::App &app);
void addMeasure(CLI::App &app);
void addMemory(CLI::App &app);
void addQuantize(CLI::App &app);
void addCompletion(CLI::App &app); // last: it describes the others

} // namespace fireside::cli
