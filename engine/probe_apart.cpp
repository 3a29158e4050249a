#include "engine/probe_apart.h"

#include "engine/backend/backend.h"
#include "engine/core/private_folder.h"
#include "engine/driver_process.h"
#include "engine/files/new_file.h"
#include "engine/report_json.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace fireside {
namespace {

namespace fs = std::filesystem;

constexpr const char *kOption = "--probe-graphics-drivers";
constexpr const char *kAdvice =
    "update the graphics driver, or use the CPU; it is tried again at the next start";

DeviceReport failed(const std::string &what)
{
    DeviceReport report;
    report.kind = BackendKind::Vulkan;
    report.id = "vulkan";
    report.name = "Vulkan";
    report.reason = what + "; " + kAdvice;
    DeviceCheck check;
    check.name = "Driver";
    check.outcome = DeviceCheck::Outcome::Failed;
    check.detail = what;
    check.advice = kAdvice;
    report.checks.push_back(std::move(check));
    return report;
}

std::string seconds(std::chrono::milliseconds time)
{
    return std::to_string((time.count() + 500) / 1000) + " s";
}

std::vector<DeviceReport> probeApart(const ApartProbe &how, bool &safe)
{
    safe = false;
    try {
        const DriverProcess::End end =
            DriverProcess::run(how.program, {how.program.string(), kOption}, how.limit);
        if (end.timedOut)
            return {failed("the graphics driver did not answer within " + seconds(how.limit) +
                           " while it was checked")};
        if (end.signal != 0)
            return {failed("the graphics driver crashed while it was checked (" +
                           std::string(::strsignal(end.signal)) + ")")};
        const auto json = nlohmann::ordered_json::parse(end.output, nullptr, false);
        if (end.status != 0 || !json.is_array() || json.empty())
            return {failed("the graphics driver ended the program while it was checked (status " +
                           std::to_string(end.status) + ")")};
        std::vector<DeviceReport> reports;
        for (const auto &report : json)
            reports.push_back(reportFromJson(report));
        safe = true;
        return reports;
    } catch (const Error &error) {
        return {failed(std::string("the graphics driver could not be checked: ") + error.what())};
    }
}

/// The fingerprint of drivers that were probed safely. While they are probed in this process it is
/// away, so that a crash leads to the other process the next time.
class SafeDrivers
{
public:
    explicit SafeDrivers(const fs::path &folder)
        : m_file(folder.empty() ? fs::path() : folder / "probed-drivers")
    {}
    bool hold(const std::string &fingerprint) const
    {
        std::ifstream file(m_file, std::ios::binary);
        return file && std::string(std::istreambuf_iterator<char>(file), {}) == fingerprint;
    }
    void forget() const
    {
        std::error_code ignored;
        fs::remove(m_file, ignored);
    }
    void remember(const std::string &fingerprint) const
    {
        if (m_file.empty())
            return;
        try {
            makePrivateFolder(m_file.parent_path());
            NewFile file(m_file, NewFile::Existing::Replace);
            file.write(std::as_bytes(std::span(fingerprint)));
            file.keep();
        } catch (const std::exception &) { // the next start takes as long as this one
        }
    }

private:
    fs::path m_file;
};

void addFile(std::string &all, const fs::path &path)
{
    std::error_code error;
    const auto size = fs::file_size(path, error);
    const auto time = fs::last_write_time(path, error);
    if (!error)
        all += path.string() + ' ' + std::to_string(size) + ' ' +
               std::to_string(time.time_since_epoch().count()) + '\n';
}

void addFolder(std::string &all, const fs::path &folder)
{
    std::vector<fs::path> files;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
        files.push_back(it->path());
    std::sort(files.begin(), files.end());
    for (const fs::path &file : files)
        addFile(all, file);
}

void addVariables(std::string &all)
{
    for (const char *name :
         {"VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES", "VK_LAYER_PATH",
          "VK_ADD_LAYER_PATH", "VK_INSTANCE_LAYERS", "VK_LOADER_LAYERS_ENABLE",
          "VK_LOADER_DRIVERS_SELECT", "FIRESIDE_VULKAN_LOADER", "LD_LIBRARY_PATH", "LD_PRELOAD",
          "XDG_DATA_HOME", "XDG_DATA_DIRS"})
        if (const char *const value = std::getenv(name))
            all += std::string(name) + '=' + value + '\n';
}

} // namespace

std::string driverFingerprint()
{
    std::string all;
    addVariables(all);
    struct utsname system
    {};
    if (::uname(&system) == 0) // half of most drivers is in the kernel
        all += std::string(system.release) + ' ' + system.version + '\n';
    // Every package with a library renews the first; the second is this program.
    for (const char *file : {"/etc/ld.so.cache", "/proc/self/exe", "/proc/driver/nvidia/version"})
        addFile(all, file);
    for (const char *root : {"/etc", "/usr/share", "/usr/local/share", "/usr/local/etc"})
        for (const char *kind : {"icd.d", "implicit_layer.d"})
            addFolder(all, fs::path(root) / "vulkan" / kind);
    return all;
}

std::vector<DeviceReport> probeDevices(const ApartProbe &how)
{
    std::vector<DeviceReport> reports{probeCpu()};
    const SafeDrivers drivers(how.cacheFolder);
    const std::string fingerprint = driverFingerprint();
    bool safe = drivers.hold(fingerprint);
    std::vector<DeviceReport> found;
    if (safe) {
        drivers.forget();
        found = probeVulkan();
    } else {
        found = probeApart(how, safe);
    }
    if (safe)
        drivers.remember(fingerprint);
    std::move(found.begin(), found.end(), std::back_inserter(reports));
    return reports;
}

bool serveProbe(int argc, char **argv)
{
    if (argc != 2 || std::strcmp(argv[1], kOption) != 0)
        return false;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL); // nobody listens then
    const struct rlimit none
    {
        0, 0
    };
    ::setrlimit(RLIMIT_CORE, &none);
    // What drivers print does not come between.
    const int answers = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    ::dup2(nowhere, STDOUT_FILENO);
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const DeviceReport &report : probeVulkan())
        all.push_back(toJson(report));
    const std::string text =
        all.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    std::size_t written = 0;
    while (written < text.size()) {
        const ssize_t n = ::write(answers, text.data() + written, text.size() - written);
        if (n <= 0)
            break;
        written += static_cast<std::size_t>(n);
    }
    std::_Exit(written == text.size() ? EXIT_SUCCESS : EXIT_FAILURE);
}

} // namespace fireside
