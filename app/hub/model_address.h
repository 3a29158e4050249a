#pragma once
#include "app/downloads/remote_file.h"

#include <QString>
#include <QUrl>

namespace fireside {

/// What the user wrote or pasted to get a model.
struct ModelAddress
{
    enum class Kind {
        Words,      // to search for
        Repository, // of the Hub
        File,       // on any server
        Wrong,      // an address that leads to no model
    };
    Kind kind = Kind::Words;
    QString text;            // the words; why it is wrong, as a clause
    QString repository;      // "org/name"
    QString wish;            // the file, part of its name or its quantisation; empty: none
    DownloadRequest request; // without a folder; of a split model all parts
};

/// "llama 3", "org/name", "org/name:Q4_K_M", "hf.co/org/name", pages and files of the Hub at
/// `hub`, and addresses of .gguf files elsewhere.
ModelAddress readModelAddress(const QString &text, const QUrl &hub);

} // namespace fireside
