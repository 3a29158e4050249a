#!/usr/bin/env bash
# Builds a Debian package of this system's distribution into build/packages: the libraries it needs have
# other names in others, so each builds its own.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source packaging/setup.sh
source packaging/deb_control.sh

usage() {
    cat <<'END'
usage: packaging/package.sh [--from BUILD_FOLDER]

Builds build/packages/fireside_VERSION_ARCHITECTURE.deb and checks it with lintian where that is installed.

  --from BUILD_FOLDER   take what is built there, do not build
  --help                this text

SOURCE_DATE_EPOCH is the time that files in the package have; without it that of the release.
END
}

from=
while (($# > 0)); do
    case "$1" in
    --from)
        from=${2:?}
        shift
        ;;
    --help | -h)
        usage
        exit 0
        ;;
    *)
        usage >&2
        exit 2
        ;;
    esac
    shift
done

maintainer='The Fireside authors <maintainers@fireside.invalid>'
release=$(sed -n 's/.*<release version="\([^"]*\)" date="\([^"]*\)".*/\1 \2/p' packaging/fireside.metainfo.xml | head -n 1)
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(date -u -d "${release#* }" +%s)}
version=${release% *}+$(. /etc/os-release && echo "$ID${VERSION_ID:-}")
architecture=$(dpkg --print-architecture)
out=$PWD/build/packages
export LC_ALL=C TZ=UTC

build() {
    install_missing "${build_packages[@]}" dpkg-dev
    prepare_glslang
    say "Building (build/package)"
    # shellcheck disable=SC2086 # several options in one variable
    cmake -G Ninja -B build/package -DCMAKE_BUILD_TYPE=Release -DFIRESIDE_TESTS=OFF \
        ${FIRESIDE_CMAKE_ARGS:-}
    cmake --build build/package -j "$(build_jobs)" --target fireside fireside-cli
}

# libraries_of ROOT: the packages that the programs' libraries are in, with the least versions.
libraries_of() {
    local work
    work=$(mktemp -d)
    mkdir "$work/debian"
    printf 'Source: fireside\n\nPackage: fireside\nArchitecture: any\n' >"$work/debian/control"
    (cd "$work" && dpkg-shlibdeps -O -e"$1/usr/bin/fireside" -e"$1/usr/bin/fireside-cli" 2>/dev/null) |
        sed -n 's/^shlibs:Depends=//p'
    rm -rf "$work"
}

# deb ROOT: adds what Debian wants and packs it.
deb() {
    local root=$1 doc=$1/usr/share/doc/fireside file=$out/fireside_${version}_$architecture.deb
    mv "$root/usr/share/doc/Fireside" "$doc" 2>/dev/null || true
    rm -f "$doc/LICENSE" # Debian has it; copyright says where
    copyright_file >"$doc/copyright"
    changelog_file "$version" "$(date -u -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$doc/changelog.gz"
    gzip -9n "$root"/usr/share/man/man1/*.1
    mkdir "$root/DEBIAN"
    control_file "$version" "$architecture" "$(du -k -s --apparent-size "$root/usr" | cut -f 1)" "$(libraries_of "$root")" \
        >"$root/DEBIAN/control"
    (cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
    chmod -R u=rwX,go=rX "$root"
    find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    mkdir -p "$out"
    dpkg-deb --root-owner-group --threads-max=1 -Zxz --build "$root" "$file"
    if command -v lintian >/dev/null; then
        say "lintian"
        # What the archive alone wants: a bug that the first upload closes.
        lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs "$file"
    fi
    sha256sum "$file"
}

[[ -n "$from" ]] || build
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
chmod 755 "$root" # the package's own folder
DESTDIR=$root cmake --install "${from:-build/package}" --prefix /usr --strip >/dev/null
deb "$root"
