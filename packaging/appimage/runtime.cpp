// What an AppImage begins with (type 2 of the AppImage specification): a static program with a
// squashfs image behind it. It mounts the image through FUSE, or unpacks it where that is not
// possible, and becomes the AppRun in it.
extern "C" {
#include <squashfuse/ll.h>
#include <squashfuse/squashfuse.h>
}
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;

const char *const helpText =
    "An AppImage: the program with the libraries it needs, in one file. Arguments go to the "
    "program but for\n"
    "  --appimage-extract [DIR]      unpack into DIR (squashfs-root)\n"
    "  --appimage-extract-and-run    unpack into a temporary folder and run, as "
    "APPIMAGE_EXTRACT_AND_RUN=1 does\n"
    "  --appimage-mount              mount, print where, and stay until a signal ends it\n"
    "  --appimage-offset             print where the squashfs image begins\n"
    "  --appimage-help               print this\n"
    "Called by a link named fireside-cli it is the program of that name.\n";

[[noreturn]] void fail(const std::string &what)
{
    throw std::runtime_error(what + (errno ? std::string(": ") + std::strerror(errno) : ""));
}

std::string ownPath()
{
    char path[PATH_MAX];
    const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
    if (size < 0) {
        fail("/proc/self/exe");
    }
    return std::string(path, static_cast<size_t>(size));
}

// The table of sections comes last in what the linker writes; the image follows it.
size_t imageOffset(const std::string &path)
{
    Elf64_Ehdr header = {};
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0 || pread(file, &header, sizeof header, 0) != sizeof header) {
        fail(path);
    }
    close(file);
    return header.e_shoff + size_t(header.e_shentsize) * header.e_shnum;
}

std::string temporaryFolder(const char *prefix)
{
    const char *parent = std::getenv("TMPDIR");
    std::string folder =
        std::string(parent && *parent == '/' ? parent : "/tmp") + "/" + prefix + "XXXXXX";
    if (!mkdtemp(folder.data())) {
        fail(folder);
    }
    return folder;
}

void unpackFile(sqfs *image, sqfs_inode *inode, const std::string &path, mode_t mode)
{
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    if (file < 0) {
        fail(path);
    }
    static char buffer[1 << 18];
    for (sqfs_off_t at = 0;;) {
        sqfs_off_t size = sizeof buffer;
        errno = 0;
        if (sqfs_read_range(image, inode, at, &size, buffer) != SQFS_OK) {
            fail("The image is damaged at " + path);
        }
        if (size == 0) {
            break;
        }
        if (write(file, buffer, static_cast<size_t>(size)) != size) {
            fail(path);
        }
        at += size;
    }
    close(file);
}

void unpackEntry(sqfs *image, sqfs_traverse *at, const std::string &folder)
{
    const std::string path = folder + "/" + at->path;
    sqfs_inode inode;
    if (sqfs_inode_get(image, &inode, sqfs_dentry_inode(&at->entry)) != SQFS_OK) {
        fail("The image is damaged at " + path);
    }
    const mode_t mode = inode.base.mode;
    if (S_ISDIR(mode)) {
        if (mkdir(path.c_str(), 0755) != 0 && errno != EEXIST) {
            fail(path);
        }
    } else if (S_ISLNK(mode)) {
        char target[PATH_MAX];
        size_t size = sizeof target;
        unlink(path.c_str());
        if (sqfs_readlink(image, &inode, target, &size) != SQFS_OK ||
            symlink(target, path.c_str()) != 0) {
            fail(path);
        }
    } else if (S_ISREG(mode)) {
        unpackFile(image, &inode, path, mode & 0777);
    }
}

void unpack(const std::string &path, size_t offset, const std::string &folder)
{
    sqfs image;
    if (sqfs_open_image(&image, path.c_str(), offset) != SQFS_OK) {
        errno = 0;
        fail("No image follows in " + path);
    }
    if (mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) {
        fail(folder);
    }
    sqfs_traverse at;
    sqfs_err error = sqfs_traverse_open(&at, &image, sqfs_inode_root(&image));
    while (error == SQFS_OK && sqfs_traverse_next(&at, &error)) {
        if (!at.dir_end) {
            unpackEntry(&image, &at, folder);
        }
    }
    if (error != SQFS_OK) {
        errno = 0;
        fail("The image is damaged: " + path);
    }
    sqfs_traverse_close(&at);
    sqfs_destroy(&image);
}

// Serves the image until a signal or an unmount ends it. Writes one byte to `ready` once it is
// mounted.
int serve(const std::string &path, size_t offset, const std::string &folder, int ready)
{
    fuse_lowlevel_ops ops = {};
    ops.getattr = sqfs_ll_op_getattr;
    ops.opendir = sqfs_ll_op_opendir;
    ops.releasedir = sqfs_ll_op_releasedir;
    ops.readdir = sqfs_ll_op_readdir;
    ops.lookup = sqfs_ll_op_lookup;
    ops.open = sqfs_ll_op_open;
    ops.release = sqfs_ll_op_release;
    ops.read = sqfs_ll_op_read;
    ops.readlink = sqfs_ll_op_readlink;
    ops.forget = sqfs_ll_op_forget;

    std::string name = "appimage",
                option = "-oro,nodev,nosuid,fsname=" + fs::path(path).filename().string();
    char *arguments[] = {name.data(), option.data(), nullptr};
    fuse_args fuseArguments = FUSE_ARGS_INIT(2, arguments);
    sqfs_ll *image = sqfs_ll_open(path.c_str(), offset);
    fuse_session *session =
        image ? fuse_session_new(&fuseArguments, &ops, sizeof ops, image) : nullptr;
    if (!session || fuse_set_signal_handlers(session) != 0 ||
        fuse_session_mount(session, folder.c_str()) != 0) {
        return 1;
    }
    if (write(ready, "", 1) == 1) {
        close(ready);
        fuse_session_loop(session);
    }
    fuse_session_unmount(session);
    return 0;
}

// Ends when the one that started it does; keys pressed in its terminal are not for this process.
void followParent(pid_t parent)
{
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) {
        raise(SIGTERM);
    }
}

// True once the image is mounted at `folder` by a process that unmounts it after this one's end.
bool mountImage(const std::string &path, size_t offset, const std::string &folder)
{
    int ends[2];
    const pid_t self = getpid();
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return false;
    }
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        followParent(self);
        const int quiet = open("/dev/null", O_RDWR | O_CLOEXEC);
        dup2(quiet, STDIN_FILENO);
        dup2(quiet, STDOUT_FILENO); // who reads the program's output must see its end
        dup2(quiet, STDERR_FILENO);
        const int status = serve(path, offset, folder, ends[1]);
        rmdir(folder.c_str());
        _exit(status);
    }
    close(ends[1]);
    char byte;
    const bool mounted = child > 0 && read(ends[0], &byte, 1) == 1;
    close(ends[0]);
    return mounted;
}

// Unpacks into a folder that another process removes after this one's end.
std::string unpackForRun(const std::string &path, size_t offset)
{
    const std::string folder = temporaryFolder("appimage_extracted_");
    const pid_t self = getpid();
    if (fork() == 0) {
        sigset_t ends;
        sigemptyset(&ends);
        sigaddset(&ends, SIGTERM);
        sigprocmask(SIG_BLOCK, &ends, nullptr);
        followParent(self);
        for (int end : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
            close(end);
        }
        int which;
        sigwait(&ends, &which);
        std::error_code ignored;
        fs::remove_all(folder, ignored);
        _exit(0);
    }
    unpack(path, offset, folder);
    return folder;
}

[[noreturn]] void runApp(const std::string &path, const std::string &folder, char **arguments)
{
    char here[PATH_MAX];
    setenv("APPDIR", folder.c_str(), 1);
    setenv("APPIMAGE", path.c_str(), 1);
    setenv("ARGV0", arguments[0], 1);
    setenv("OWD", getcwd(here, sizeof here) ? here : "/", 1);
    const std::string program = folder + "/AppRun";
    execv(program.c_str(), arguments);
    fail(program);
}

int start(int count, char **arguments)
{
    const std::string path = ownPath(), option = count > 1 ? arguments[1] : "";
    const size_t offset = imageOffset(path);
    if (option == "--appimage-help") {
        std::fputs(helpText, stdout);
        return 0;
    }
    if (option == "--appimage-offset") {
        std::printf("%zu\n", offset);
        return 0;
    }
    if (option == "--appimage-extract") {
        unpack(path, offset, count > 2 ? arguments[2] : "squashfs-root");
        return 0;
    }
    const char *wish = std::getenv("APPIMAGE_EXTRACT_AND_RUN");
    if (option == "--appimage-extract-and-run") {
        arguments[1] = arguments[0];
        runApp(path, unpackForRun(path, offset), arguments + 1);
    }
    if (wish && *wish && std::strcmp(wish, "0") != 0) {
        runApp(path, unpackForRun(path, offset), arguments);
    }
    const std::string folder = temporaryFolder(".mount_Fireside");
    if (mountImage(path, offset, folder)) {
        if (option == "--appimage-mount") {
            std::puts(folder.c_str());
            std::fflush(stdout);
            pause();
            return 0;
        }
        runApp(path, folder, arguments);
    }
    rmdir(folder.c_str());
    errno = 0;
    if (option == "--appimage-mount") {
        fail("FUSE is not usable here (fusermount3, of the package fuse3)");
    }
    std::fputs("FUSE is not usable here (package fuse3): unpacking into a temporary folder.\n",
               stderr);
    runApp(path, unpackForRun(path, offset), arguments);
}

} // namespace

int main(int count, char **arguments)
{
    try {
        return start(count, arguments);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "AppImage: %s\n", error.what());
        return 1;
    }
}
