#!/usr/bin/env bash
# Debian 12's glslang knows neither cooperative matrices nor integer dot products. This sets up a newer
# glslang with its Vulkan headers, from the next Debian release, in a private folder: nothing is
# installed, the programs run through their own loader and C library.
#
# usage: packaging/newer_glslang.sh FOLDER     then FOLDER/bin/glslangValidator and FOLDER/include
set -euo pipefail

folder=$(realpath -m "${1:?usage: packaging/newer_glslang.sh FOLDER}")
release=trixie
packages=(glslang-tools spirv-tools libvulkan-dev libc6 libstdc++6 libgcc-s1)

if [[ -x "$folder/bin/glslangValidator" ]] && "$folder/bin/glslangValidator" --version >/dev/null 2>&1; then
    echo "The newer glslang is already in $folder."
    exit 0
fi
if ! command -v apt-get >/dev/null || ! command -v dpkg >/dev/null; then
    echo "This needs apt and dpkg." >&2
    exit 1
fi

# The mirror this system already uses.
mirror=$(sed -n 's/^URIs:[[:space:]]*\([^[:space:]]*\).*/\1/p' /etc/apt/sources.list.d/*.sources 2>/dev/null |
    grep -v security | head -n 1 || true)
if [[ -z "$mirror" ]]; then
    mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
        awk '$1 == "deb" { for (i = 2; i <= NF; ++i) if ($i ~ /^http/) { print $i; exit } }' || true)
fi
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
if [[ -z "$mirror" || ! -r "$keyring" ]]; then
    echo "No Debian mirror or no Debian keyring was found in this system's apt settings." >&2
    exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work" # apt downloads as another user
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/debs"
echo "deb [signed-by=$keyring] $mirror $release main" >"$work/sources.list"
apt_options=(-qq -o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=/dev/null
    -o "Dir::State::Lists=$work/lists" -o "Dir::Cache=$work/cache" -o APT::Sandbox::User=root)
apt-get "${apt_options[@]}" update
for package in "${packages[@]}"; do
    (cd "$work/debs" && apt-get "${apt_options[@]}" download "$package/$release" 2>"$work/log") || {
        cat "$work/log" >&2
        exit 1
    }
done

rm -rf "$folder"
mkdir -p "$folder/bin" "$folder/root"
for deb in "$work"/debs/*.deb; do
    dpkg -x "$deb" "$folder/root"
done
libraries=$(dirname "$(find "$folder/root" -name 'libstdc++.so.6' | head -n 1)")
loader=$(find "$folder/root" -name 'ld-linux*.so*' -o -name 'ld64.so*' | head -n 1)
for tool in glslangValidator spirv-val; do
    printf '#!/bin/sh\nexec "%s" --library-path "%s" "%s" "$@"\n' \
        "$loader" "$libraries" "$folder/root/usr/bin/$tool" >"$folder/bin/$tool"
    chmod +x "$folder/bin/$tool"
done
ln -sfn root/usr/include "$folder/include"
"$folder/bin/glslangValidator" --version | head -n 1
