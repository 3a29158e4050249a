// The command line with files that change under it, files without an end and names that try to
// speak to the terminal.
#include "tests/support/gguf_builder.h"
#include "tests/support/seed.h"
#include "tests/support/starter.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace fireside {
namespace {

namespace fs = std::filesystem;

std::string textOf(const fs::path &path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// A running fireside-cli; its standard input is a pipe, its output goes through one, its errors
/// into a file.
class Program
{
public:
    Program(const fs::path &folder, std::vector<std::string> arguments)
        : m_errors(folder / "errors")
    {
        std::array<int, 2> in{}, out{};
        EXPECT_EQ(::pipe2(in.data(), O_CLOEXEC), 0);
        EXPECT_EQ(::pipe2(out.data(), O_CLOEXEC), 0);
        std::vector<char *> argv{const_cast<char *>(FIRESIDE_CLI)};
        for (std::string &argument : arguments)
            argv.push_back(argument.data());
        argv.push_back(nullptr);
        m_pid = ::fork();
        if (m_pid == 0) {
            const int errors = ::open(m_errors.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
            ::dup2(in[0], 0);
            ::dup2(out[1], 1);
            ::dup2(errors, 2);
            ::execv(FIRESIDE_CLI, argv.data());
            ::_exit(127);
        }
        ::close(in[0]);
        ::close(out[1]);
        m_in = in[1];
        m_out = out[0];
    }
    ~Program()
    {
        if (m_pid > 0) {
            ::kill(m_pid, SIGKILL);
            ::waitpid(m_pid, nullptr, 0);
        }
        ::close(m_in);
        ::close(m_out);
    }
    Program(const Program &) = delete;
    Program &operator=(const Program &) = delete;

    void write(const std::string &text)
    {
        EXPECT_EQ(::write(m_in, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    }
    /// What comes next on standard output; empty at its end.
    std::string read()
    {
        std::array<char, 65536> buffer;
        const ssize_t n = ::read(m_out, buffer.data(), buffer.size());
        m_text.append(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
        return {buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0))};
    }
    void waitForError(const std::string &part)
    {
        while (errors().find(part) == std::string::npos && ::kill(m_pid, 0) == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    /// The exit code, or 1000 and the signal.
    int finish()
    {
        ::close(std::exchange(m_in, -1));
        while (!read().empty()) {
        }
        int status = 0;
        ::waitpid(std::exchange(m_pid, -1), &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
    }
    const std::string &output() const { return m_text; }
    std::string errors() const { return textOf(m_errors); }

private:
    fs::path m_errors;
    pid_t m_pid = -1;
    int m_in = -1, m_out = -1;
    std::string m_text;
};

class HostileCliTest : public testing::Test
{
protected:
    fs::path model()
    {
        const fs::path path = m_folder / "model.gguf";
        fs::copy_file(test::starterModel(), path, fs::copy_options::overwrite_existing);
        fs::permissions(path, fs::perms::owner_write, fs::perm_options::add);
        return path;
    }
    struct Outcome
    {
        int code;
        std::string out, err;
    };
    Outcome run(const std::vector<std::string> &arguments)
    {
        Program program(m_folder.path(), arguments);
        const int code = program.finish();
        return {code, program.output(), program.errors()};
    }
    /// One line of printable characters on standard error.
    void expectError(const Outcome &o, const std::string &part)
    {
        EXPECT_EQ(o.code, 1) << o.err.substr(0, 400);
        EXPECT_EQ(o.out, "");
        EXPECT_NE(o.err.find(part), std::string::npos) << o.err.substr(0, 400);
        EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err.substr(0, 400);
        EXPECT_TRUE(std::all_of(o.err.begin(), o.err.end(), [](char c) {
            return c == '\n' || !(c >= 0 && c < 32);
        })) << o.err.substr(0, 400);
        EXPECT_LT(o.err.size(), 6100u);
    }
    test::TempDir m_folder;
};

constexpr const char *kChanged = "fireside-cli: the model file changed on disk";

TEST_F(HostileCliTest, AFileCutBetweenTwoTurnsEndsTheChat)
{
    const fs::path path = model();
    Program chat(m_folder.path(), {"chat", path.string(), "--backend", "cpu", "--temp", "0",
                                   "--threads", "1", "--context", "512"});
    chat.write("hello\n");
    while (chat.output().find("How can I help?") == std::string::npos && !chat.read().empty()) {
    }
    fs::resize_file(path, 1 << 20);
    chat.write("hello again\n");
    EXPECT_EQ(chat.finish(), 1);
    EXPECT_NE(chat.output().find("How can I help?"), std::string::npos); // what was said stays
    EXPECT_NE(chat.errors().find(kChanged), std::string::npos) << chat.errors();
}

TEST_F(HostileCliTest, AFileCutDuringAReplyEndsIt)
{
    const fs::path path = model();
    // Hot sampling without an end: far more tokens than can be computed before the cut.
    Program reply(m_folder.path(),
                  {"run",       path.string(), "--raw",     "-p",     "Once upon a time",
                   "--temp",    "5",           "--top-k",   "0",      "--top-p",
                   "1",         "--min-p",     "0",         "--seed", "4",
                   "--backend", "cpu",         "--threads", "1",      "--context",
                   "2048"});
    EXPECT_FALSE(reply.read().empty());
    fs::resize_file(path, 1 << 20);
    EXPECT_EQ(reply.finish(), 1);
    EXPECT_FALSE(reply.output().empty());
    EXPECT_NE(reply.errors().find(kChanged), std::string::npos) << reply.errors();
}

/// Whenever the cut comes, there is the whole answer or an error, and never a signal.
TEST_F(HostileCliTest, FilesCutAtAnyMomentGiveTheAnswerOrAnError)
{
    std::mt19937 random = test::generator();
    const fs::path path = model();
    const std::vector<std::vector<std::string>> commands{
        {"inspect", "--json", path.string()},
        {"inspect", path.string()},
        {"tokenize", path.string(), "--text", "some words"},
        {"logits", path.string(), "--tokens", "1,2,3", "--backend", "cpu", "--threads", "1"}};
    int answers = 0, errors = 0;
    for (const auto &command : commands) {
        model();
        const Outcome whole = run(command);
        ASSERT_EQ(whole.code, 0) << whole.err;
        for (int round = 0; round < 8; ++round) {
            model();
            Program program(m_folder.path(), command);
            std::this_thread::sleep_for(std::chrono::microseconds(random() % 30'000));
            fs::resize_file(path, random() % 2 ? 1 << 20 : random() % (64 << 10));
            const int code = program.finish();
            ASSERT_TRUE(code == 0 || code == 1) << command[0] << ": " << code;
            if (code == 0) {
                EXPECT_EQ(program.output(), whole.out) << command[0];
                ++answers;
            } else {
                EXPECT_EQ(program.output(), "") << command[0];
                ++errors;
            }
        }
    }
    std::printf("%d whole answers, %d errors\n", answers, errors);
}

TEST_F(HostileCliTest, FilesWithoutAnEndAreRefused)
{
    const std::string source = (m_folder / "t.jinja").string();
    std::ofstream(source) << "{{ messages }}";
    const std::string context = (m_folder / "c.json").string();
    std::ofstream(context) << "{}";
    const std::string starter = test::starterModel().string();
    const std::string pipe = (m_folder / "pipe.jinja").string();
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    const std::string zero = (m_folder / "zero.jinja").string();
    fs::create_symlink("/dev/zero", zero);
    const char *const regular = "not a regular file";
    expectError(run({"template", source, "--context", "/dev/zero"}), regular);
    expectError(run({"template", zero, "--context", context}), regular);
    expectError(run({"template", pipe, "--context", context}), regular);
    expectError(run({"template", "/dev/zero", "--context", context}), regular);
    expectError(run({"tokenize", starter, "--json", "/dev/zero"}), regular);
    expectError(run({"tokenize", "/dev/zero", "--text", "x"}), regular);
    expectError(run({"inspect", "/dev/zero"}), regular);
    expectError(run({"run", "/dev/zero", "-p", "x"}), regular);
    expectError(run({"logits", pipe, "--tokens", "1"}), regular);
    // A file whose size alone is too much; it takes no space.
    const std::string sparse = (m_folder / "sparse.json").string();
    std::ofstream(sparse).close();
    fs::resize_file(sparse, std::uintmax_t{1} << 40);
    expectError(run({"template", source, "--context", sparse}), "too large");
    expectError(run({"tokenize", starter, "--json", sparse}), "too large");
}

TEST_F(HostileCliTest, ForeignTextInMessagesIsHarmlessAndShort)
{
    const std::string evil = "e\x1b]0;x\x07\n\xe2\x80\xae.gguf";
    const std::string spelled = "e\\x1b]0;x\\x07\\n\\u202e.gguf";
    expectError(run({"inspect", (m_folder / evil).string()}), spelled);
    std::ofstream(m_folder / evil) << "no model";
    expectError(run({"inspect", (m_folder / evil).string()}), spelled);
    expectError(run({"run", (m_folder / evil).string(), "-p", "x"}), spelled);
    expectError(run({"tokenize", (m_folder / evil).string(), "--text", "x"}), spelled);

    const std::string starter = test::starterModel().string();
    const std::string megabyte(100'000, '\x1b'); // what one argument may hold
    for (const auto &arguments :
         std::vector<std::vector<std::string>>{{"run", starter, "-p", "x", "--backend", megabyte},
                                               {"run", starter, "-p", "x", "--kv", megabyte},
                                               {"logits", starter, "--tokens", megabyte},
                                               {"bench", "--shape", megabyte},
                                               {"inspect", megabyte}})
        expectError(run(arguments), "\\x1b\\x1b");
    const Outcome unknown = run({megabyte});
    EXPECT_EQ(unknown.code, 2);
    EXPECT_LT(unknown.err.size(), 1000u);
    EXPECT_EQ(unknown.err.find('\x1b'), std::string::npos);

    std::ofstream(m_folder / "t.jinja") << "{{ raise_exception('a\\x1b[2Jb' ~ 'c' * 1000000) }}";
    std::ofstream(m_folder / "c.json") << "{}";
    expectError(run({"template", (m_folder / "t.jinja").string(), "--context",
                     (m_folder / "c.json").string()}),
                "a\\x1b[2Jbccc");

    // Names inside a model file.
    test::GgufBuilder b;
    b.string("general.architecture", "x\x1b[31m" + std::string(1'000'000, 'y'));
    b.string("general.name", "n\x1b[31m").tensor("t\x1b[31m", DType::F32, {4});
    b.write(m_folder / "names.gguf");
    expectError(run({"run", (m_folder / "names.gguf").string(), "-p", "x"}), "'x\\x1b[31myyy");
    const Outcome shown = run({"inspect", (m_folder / "names.gguf").string()});
    EXPECT_EQ(shown.code, 0);
    EXPECT_EQ(shown.out.find('\x1b'), std::string::npos);
    EXPECT_LT(shown.out.size(), 40'000u);
}

} // namespace
} // namespace fireside
