#pragma once
#include "app/models/folder_walk.h"
#include "app/models/model_source.h"

#include <QList>

namespace fireside {

/// The models among the files of one folder: each GGUF file, split ones ("-00001-of-00003.gguf") as
/// one model of which missing parts are named, and the folder itself when it is a Hugging Face
/// model. Sidecars of other models (mmproj, mtp-) are none.
QList<FoundModel> modelsIn(const FolderFiles &folder);

/// By its name: part of another model, not one to chat with.
bool isSidecar(const QString &fileName);

/// All files of the split model that `path` is the first part of, as its name says; else `path`
/// alone.
QStringList partsOf(const QString &path);

} // namespace fireside
