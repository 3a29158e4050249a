#pragma once
#include "app/downloads/remote_file.h"

#include <QList>
#include <QString>

#include <optional>

namespace fireside {

/// A file of a repository.
struct HubFile
{
    QString path;
    qint64 bytes = 0;
    ExpectedDigest digest;
    bool operator==(const HubFile &) const = default;
};

/// What is downloaded together: a GGUF file, all parts of a split one, or a folder of safetensors.
struct HubModel
{
    QString name;         // "model-Q4_K_M.gguf", the folder, or the repository's own files: ""
    QList<HubFile> files; // in the order of downloading
    std::optional<HubFile> projector; // for pictures (mmproj), which lies alongside
    bool folder = false;              // of safetensors
    QString problem;                  // why it cannot be had, as a clause
    qint64 bytes() const;
    bool operator==(const HubModel &) const = default;
};

/// The models among the files of a repository, smallest first. Files whose names cannot be used
/// here are left out.
QList<HubModel> modelsAmong(const QList<HubFile> &files);

/// The one that the user means by a file's name, part of it, or its quantisation ("Q4_K_M"); −1:
/// none, −2: several.
int chosenModel(const QList<HubModel> &models, const QString &wish);

} // namespace fireside
