# Sourced by package.sh: what a Debian package says about itself.

# control_file VERSION ARCHITECTURE INSTALLED_KB LIBRARIES: what is opened at run time is added by hand.
control_file() {
    cat <<END
Package: fireside
Version: $1
Architecture: $2
Maintainer: $maintainer
Installed-Size: $3
Section: misc
Priority: optional
Depends: $4, libqt6sql6-sqlite
Recommends: ca-certificates, fonts-dejavu-extra, libopenblas0-pthread, libsecret-1-0, libvulkan1, mesa-vulkan-drivers | vulkan-icd, qt6-translations-l10n, qt6-wayland
Description: chat with language models on your own machine
 Fireside runs language models with its own engine, on the graphics processor
 through Vulkan or on the CPU. It reads the GGUF files that other programs have
 already downloaded where they lie, says before loading whether a model fits,
 and always shows which processor does the work and why.
 .
 A small starter model comes with it, and fireside-cli for the command line.
END
}

copyright_file() {
    cat <<END
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Fireside
Comment: What the starter model was made of: /usr/share/fireside/models/NOTICE.md

Files: *
Copyright: 2026 The Fireside authors
License: Apache-2.0

License: Apache-2.0
 On Debian systems the text of the Apache License, Version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.
END
}

# changelog_file VERSION DATE
changelog_file() {
    cat <<END
fireside ($1) unstable; urgency=medium

  * Packaged from the sources of this version.

 -- $maintainer  $2
END
}
