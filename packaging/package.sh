#!/usr/bin/env bash
# Builds packages into build/packages: a Debian package of this system's distribution (the libraries it needs have
# other names in others, so each builds its own) and an AppImage, which needs no installation.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source packaging/setup.sh
source packaging/deb_control.sh
source packaging/appimage.sh

usage() {
    cat <<'HELP'
usage: packaging/package.sh [--deb] [--appimage] [--from BUILD_FOLDER]
       packaging/package.sh --check-reproducible [--deb] [--appimage]

Builds into build/packages
  fireside_VERSION+DISTRIBUTION_ARCHITECTURE.deb   checked with lintian where that is installed
  Fireside-VERSION-ARCHITECTURE.AppImage           runs on systems as new as this one: build it on Debian 12

  --deb, --appimage      only this one
  --from BUILD_FOLDER    take what is built there, do not build
  --check-reproducible   build twice, in folders of other names and at other times, and compare the bytes
  --help                 this text

SOURCE_DATE_EPOCH is the time that files in the packages have; without it that of the release. Names of
folders, the time of day and the order of files are kept out of the packages.
HELP
}

from=
wanted=()
check=false
while (($# > 0)); do
    case "$1" in
    --deb | --appimage) wanted+=("${1#--}") ;;
    --check-reproducible) check=true ;;
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
((${#wanted[@]} > 0)) || wanted=(deb appimage)

maintainer='The Fireside authors <maintainers@fireside.invalid>'
release=$(sed -n 's/.*<release version="\([^"]*\)" date="\([^"]*\)".*/\1 \2/p' packaging/fireside.metainfo.xml | head -n 1)
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(date -u -d "${release#* }" +%s)}
version=${release% *}+$(. /etc/os-release && echo "$ID${VERSION_ID:-}")
architecture=$(dpkg --print-architecture)
out=$PWD/build/packages
umask 022

# build: neither the folder nor the time goes into the programs.
build() {
    prepare_glslang
    say "Building (build/package)"
    # shellcheck disable=SC2086 # several options in one variable
    cmake -G Ninja -B build/package -DCMAKE_BUILD_TYPE=Release -DFIRESIDE_TESTS=OFF -DFIRESIDE_SOURCE_MODELS= \
        -DCMAKE_CXX_FLAGS="-ffile-prefix-map=\"$PWD\"=." ${FIRESIDE_CMAKE_ARGS:-}
    QT_RCC_SOURCE_DATE_OVERRIDE=$SOURCE_DATE_EPOCH LC_ALL=C TZ=UTC \
        cmake --build build/package -j "$(build_jobs)" --target fireside fireside-cli
}

# libraries_of ROOT: the packages that the programs' libraries are in, with the least versions.
libraries_of() {
    local work=$scratch/libraries
    mkdir -p "$work/debian"
    printf 'Source: fireside\n\nPackage: fireside\nArchitecture: any\n' >"$work/debian/control"
    (cd "$work" && dpkg-shlibdeps -O -e"$1/usr/bin/fireside" -e"$1/usr/bin/fireside-cli" 2>/dev/null) |
        sed -n 's/^shlibs:Depends=//p'
}

# deb ROOT: adds what Debian wants and packs it.
deb() {
    local root=$1 doc=$1/usr/share/doc/fireside file=$out/fireside_${version}_$architecture.deb
    mv "$root/usr/share/doc/Fireside" "$doc" 2>/dev/null || true
    rm -f "$doc/LICENSE" # Debian has it; copyright says where
    copyright_file >"$doc/copyright"
    changelog_file "$version" "$(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$doc/changelog.gz"
    gzip -9n "$root"/usr/share/man/man1/*.1
    mkdir "$root/DEBIAN"
    control_file "$version" "$architecture" "$(du -k -s --apparent-size "$root/usr" | cut -f 1)" "$(libraries_of "$root")" \
        >"$root/DEBIAN/control"
    (cd "$root" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
    chmod -R u=rwX,go=rX "$root"
    find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group --threads-max=1 -Zxz --build "$root" "$file"
    if command -v lintian >/dev/null; then
        say "lintian"
        # What the archive alone wants: a bug that the first upload closes. And a home page, which AppStream asks for
        # since 1.0: lintian of Debian 13 fails for it; that of Debian 12 does not know the tag.
        local but=initial-upload-closes-no-bugs home=appstream-metadata-validation-failed
        ! lintian-explain-tags "$home" >/dev/null 2>&1 || but+=,$home
        lintian --fail-on error,warning --suppress-tags "$but" "$file"
    fi
}

# pack KIND: installs into a folder of its own and makes the package of it.
pack() {
    local root=$scratch/$1
    mkdir -m 755 "$root" # the package's own folder
    DESTDIR=$root cmake --install "${from:-build/package}" --prefix /usr --strip >/dev/null
    "$1" "$root"
}

# check_reproducible: two copies of the sources, built one after the other under other names.
check_reproducible() {
    local work folder status=0 packages
    work=$(mktemp -d)
    for folder in first "second with another name"; do
        mkdir "$work/$folder"
        git ls-files -z | xargs -0 cp --parents -t "$work/$folder"
        if [[ -d build/glslang ]]; then
            mkdir "$work/$folder/build"
            cp -a build/glslang "$work/$folder/build/"
        fi
        # A cache of objects would compare one compilation with itself.
        (umask 077 && cd "$work/$folder" && CCACHE_DISABLE=1 TZ=Asia/Kolkata packaging/package.sh "${wanted[@]/#/--}")
    done
    packages=$(cd "$work/first/build/packages" && echo *)
    say "Comparing"
    for folder in $packages; do
        cmp "$work"/{first,"second with another name"}/build/packages/"$folder" && echo "the same bytes: $folder" || status=1
    done
    if ((status == 0)); then
        rm -rf "$work"
    else
        echo "Both builds stay in $work; diffoscope shows where they differ."
    fi
    return $status
}

if $check; then
    check_reproducible
    exit
fi
needed=(dpkg-dev)
[[ -n "$from" ]] || needed+=("${build_packages[@]}")
[[ " ${wanted[*]} " == *" appimage "* ]] && needed+=("${appimage_packages[@]}")
install_missing "${needed[@]}"
[[ -n "$from" ]] || build
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$out"
for kind in "${wanted[@]}"; do
    say "Packing: $kind"
    pack "$kind"
done
(cd "$out" && sha256sum -- *)
