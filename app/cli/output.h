#pragma once

namespace fireside::cli {

/// First of all: files that the program opens later must not take the numbers of standard input,
/// output and error where one of them is closed.
void reserveStandardFiles();

/// Writes out what standard output holds back. Error(Io) with the reason where anything that was
/// written there is lost: the disk is full, or standard output is closed. A pipe that nobody reads
/// any more ends the program by SIGPIPE, silently.
void checkOutput();

} // namespace fireside::cli
