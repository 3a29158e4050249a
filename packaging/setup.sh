# Sourced by run.sh, test.sh and .ci/run: which packages are needed, and how to install the missing ones.
# Names are those of Debian 12 and 13 and Ubuntu 24.04.

build_packages=(
    build-essential cmake ninja-build ccache pkg-config
    qt6-base-dev libqt6sql6-sqlite qtkeychain-qt6-dev
    libmd4c-dev libzip-dev libpcre2-dev libutf8proc-dev nlohmann-json3-dev libcli11-dev libcpp-httplib-dev zlib1g-dev libbrotli-dev libxxhash-dev libssl-dev
    libvulkan-dev glslang-tools
    ca-certificates # whom downloads trust; Qt's part for TLS comes with qt6-base-dev's libraries
    qt6-l10n-tools # lrelease, which compiles the texts in other languages
    libopenblas0-pthread # opened at run time; without it our own kernels multiply float weights too
)

# Vulkan is looked for at run time; without these the program runs on the CPU and says why.
vulkan_packages=(libvulkan1 mesa-vulkan-drivers)

# Formulas are set with the first of several mathematical fonts, here DejaVu Math TeX Gyre; without any
# they are set with the font of the interface.
font_packages=(fonts-dejavu-extra)

test_packages=(
    libgtest-dev fonts-dejavu-core "${font_packages[@]}" xvfb xauth vulkan-validationlayers
    poppler-utils # reads the text of written PDF files
    at-spi2-core gir1.2-atspi-2.0 python3-gi dbus-daemon # what a screen reader goes through
    gnome-keyring libsecret-1-0                          # a keyring that keeps keys of servers
)

# Only .ci/run needs these.
check_packages=(clang-format-14 desktop-file-utils appstream clang libclang-rt-dev git)

say() {
    printf '\n== %s\n' "$*"
}

is_installed() {
    [[ "$(dpkg-query -W -f='${Status}' "$1" 2>/dev/null)" == 'install ok installed' ]]
}

# install_missing PACKAGE…: returns 1 when something needed cannot be installed.
install_missing() {
    local package missing=()
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        say "This system has no apt. Make sure that these are installed (Debian's names):"
        printf '   %s\n' "$@"
        return 0
    fi
    for package in "$@"; do
        is_installed "$package" || missing+=("$package")
    done
    if ((${#missing[@]} == 0)); then
        say "All $# packages that are needed are installed."
        return 0
    fi

    local as_root=()
    if ((EUID != 0)); then
        if ! command -v sudo >/dev/null; then
            say "These packages are missing. Install them as root, then run this again:"
            printf '   apt-get install %s\n' "${missing[*]}"
            return 1
        fi
        as_root=(sudo)
    fi
    say "Installing ${#missing[@]} missing packages with apt: ${missing[*]}"
    "${as_root[@]}" apt-get update || say "Some package lists could not be refreshed; trying anyway"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends "${missing[@]}"
}

# The same, for what is only nice to have: a failure is reported and forgotten.
install_optional() {
    install_missing "$@" || say "Going on without: $*"
}

# A compiler process may take a gigabyte; more of them than memory allows would be slower, not faster.
build_jobs() {
    local cores memory_kb
    cores=$(nproc)
    memory_kb=$(awk '/MemAvailable/ {print $2}' /proc/meminfo 2>/dev/null || echo 4000000)
    local fitting=$((memory_kb / 1000000))
    ((fitting < 1)) && fitting=1
    echo $((cores < fitting ? cores : fitting))
}

# Where the system's glslang is too old for the fast shaders, a newer one goes to build/glslang. Without
# it the program is built without these shaders and says so in its device report.
prepare_glslang() {
    local version
    version=$(glslangValidator --version 2>/dev/null | sed -n 's/^Glslang Version: [0-9]*:\([0-9]*\).*/\1/p')
    if ((${version:-0} >= 14)); then
        return 0
    fi
    say "The system's glslang is version ${version:-unknown}; setting up a newer one in build/glslang"
    packaging/newer_glslang.sh build/glslang && return 0
    if [[ "${CI:-}" == true ]]; then
        say "Without it parts of the program would go untested"
        return 1
    fi
    say "Going on with the system's glslang: some fast shaders are left out of this build"
}

# configure_and_build BUILD_TARGETS… with the CMake options in the array cmake_options.
configure_and_build() {
    prepare_glslang
    say "Configuring (build/release)"
    # shellcheck disable=SC2086 # several options in one variable
    cmake --preset release "${cmake_options[@]}" ${FIRESIDE_CMAKE_ARGS:-}
    say "Building with $(build_jobs) jobs; the first time takes some minutes"
    cmake --build --preset release -j "$(build_jobs)" --target "$@"
}
