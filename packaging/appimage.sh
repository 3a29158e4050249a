# Sourced by package.sh: an AppImage of what is built. It runs where glibc and libstdc++ are at least as new as
# here, so the one for everybody is built on Debian 12.

appimage_packages=(
    patchelf squashfs-tools libsquashfuse-dev libfuse3-dev libzstd-dev # to pack
    qt6-wayland qt6-translations-l10n libopenblas0-pthread             # to be packed
)

# Not packed: what must be the system's own, as drivers and other libraries of the system load it too and would
# meet an older one (C and C++ runtime, graphics, X, Wayland, fonts, GLib, D-Bus, CUPS). Every desktop has these.
system_libraries='^(ld-linux.*|lib(c|m|dl|rt|pthread|util|resolv|nsl|anl)|libstdc\+\+|libgcc_s|lib(E?GL|GLX|GLdispatch|OpenGL|GLESv2|drm|gbm|vulkan)|lib(X11|X11-xcb|xcb|Xau|Xdmcp|ICE|SM)|libwayland-(client|cursor|egl)|lib(fontconfig|freetype|harfbuzz|expat|z)|lib(glib|gio|gobject|gmodule|gthread)-2\.0|libdbus-1|libcups)\.so'

# Of Qt: windows on X11 and Wayland (without a display, offscreen), pictures, chats, TLS, input methods, printing.
# No pictures in SVG are shown, so there is no iconengines.
qt_plugins=(
    platforms/libqxcb.so platforms/libqwayland-generic.so platforms/libqoffscreen.so
    wayland-shell-integration wayland-decoration-client
    imageformats sqldrivers/libqsqlite.so tls/libqopensslbackend.so
    platforminputcontexts printsupport
)

# library_of NAME: where the system has it. (All is read to its end: who is cut off while it writes has failed.)
library_of() {
    realpath "$(ldconfig -p | awk -v name="$1" '$1 == name && !found { print $NF; found = 1 }')"
}

needed_by() {
    objdump -p "$1" | awk '$1 == "NEEDED" { print $2 }'
}

# bundle_libraries USR: everything that the programs and plugins in USR need, and what that needs.
bundle_libraries() {
    local usr=$1 file name path queue=()
    mkdir -p "$usr/lib"
    for name in libssl.so.3 libcrypto.so.3 libopenblas.so.0; do # opened at run time
        install -m 644 "$(library_of "$name")" "$usr/lib/$name"
    done
    mapfile -t queue < <(find "$usr/bin" "$usr/plugins" "$usr/lib" -type f \( -name '*.so*' -o -perm /111 \) | sort)
    while ((${#queue[@]} > 0)); do
        file=${queue[0]}
        queue=("${queue[@]:1}")
        for name in $(needed_by "$file"); do
            if [[ "$name" =~ $system_libraries || -e "$usr/lib/$name" ]]; then
                continue
            fi
            path=$(ldd "$file" | awk -v name="$name" '$1 == name && !found { print $3; found = 1 }')
            install -m 644 "$(realpath "$path")" "$usr/lib/$name" || return 1
            queue+=("$usr/lib/$name")
        done
    done
    mkdir "$usr/opengl" # where a system has none: see AppRun
    for name in libEGL.so.1 libOpenGL.so.0 libGLX.so.0 libGLdispatch.so.0; do
        install -m 644 "$(library_of "$name")" "$usr/opengl/$name"
    done
    find "$usr/lib" -maxdepth 1 -name '*.so*' -exec patchelf --set-rpath '$ORIGIN' {} +
    find "$usr/plugins" -name '*.so' -exec patchelf --set-rpath '$ORIGIN/../../lib' {} +
    patchelf --set-rpath '$ORIGIN/../lib' "$usr"/bin/fireside "$usr"/bin/fireside-cli
    find "$usr/lib" "$usr/plugins" -name '*.so*' -exec strip --strip-unneeded {} +
}

# copy_licences USR: where the libraries are from, and their copyrights as Debian keeps them.
copy_licences() {
    local usr=$1 file package folder=$1/share/doc/libraries
    mkdir -p "$folder"
    for file in "$usr"/lib/*.so*; do
        package=$(dpkg -S "*/${file##*/}" 2>/dev/null | head -n 1 | cut -d : -f 1) || true
        if [[ -r "/usr/share/doc/$package/copyright" ]]; then
            cp -L "/usr/share/doc/$package/copyright" "$folder/$package"
        fi
    done
}

bundle_qt() {
    local usr=$1 plugin from translations
    from=$(qmake6 -query QT_INSTALL_PLUGINS)
    translations=$(qmake6 -query QT_INSTALL_TRANSLATIONS)
    for plugin in "${qt_plugins[@]}"; do
        if [[ ! -e "$from/$plugin" ]]; then
            echo "   without Qt's $plugin, which is not installed here"
            continue
        fi
        mkdir -p "$usr/plugins/$(dirname "$plugin")"
        cp -rL "$from/$plugin" "$usr/plugins/$plugin"
    done
    mkdir -p "$usr/translations"
    for plugin in resources/translations/fireside_*.ts; do
        plugin=${plugin##*_}
        cp "$translations/qtbase_${plugin%.ts}.qm" "$usr/translations/" || true # of some languages Qt has none
    done
    printf '[Paths]\nPrefix = ..\nPlugins = plugins\nTranslations = translations\n' >"$usr/bin/qt.conf"
}

# runtime FILE: the program that an AppImage begins with, marked as the specification wants.
appimage_runtime() {
    g++ -std=c++20 -Os -Wall -Wextra -D_FILE_OFFSET_BITS=64 -ffile-prefix-map="$PWD=." -ffunction-sections \
        -Wl,--gc-sections -static -s packaging/appimage/*.cpp -o "$1" \
        -lsquashfuse_ll -lsquashfuse -lfuse3 -lzstd -lpthread 2>&1 |
        grep -v -e 'fuse_get_module' -e 'libfuse3.a' || true # of modules of FUSE, which are not used
    printf 'AI\2' | dd of="$1" bs=1 seek=8 conv=notrunc status=none
}

# appimage ROOT: packs what `cmake --install` put below ROOT/usr.
appimage() {
    local app=$1 file=$out/Fireside-${release% *}-$(uname -m).AppImage
    cp packaging/appimage/AppRun packaging/fireside.desktop "$app/"
    cp resources/icons/fireside-256.png "$app/fireside.png"
    ln -s fireside.png "$app/.DirIcon"
    bundle_qt "$app/usr"
    bundle_libraries "$app/usr"
    copy_licences "$app/usr"
    chmod -R u=rwX,go=rX "$app"
    appimage_runtime "$scratch/runtime"
    mksquashfs "$app" "$scratch/image" -noappend -all-root -no-xattrs -comp zstd -Xcompression-level 19 -b 256K \
        -quiet -no-progress
    cat "$scratch/runtime" "$scratch/image" >"$file"
    chmod 755 "$file"
}
