#pragma once
#include "app/models/file_stamp.h"
#include "app/models/model_copy.h"

#include <QList>
#include <QString>
#include <QStringList>

// Where models lie on this machine. Each source is one function in its own file; all read, none
// write.
namespace fireside {

/// A model as a source finds it, before its file is read.
struct FoundModel
{
    QString path;       // what would be opened: a file, or a folder of the Hugging Face kind
    QString source;     // "Ollama"
    QString name;       // what the source calls it; empty: what the file says
    QString problem;    // why it cannot be loaded, when that is clear without reading it
    QStringList shards; // all files of a split model, the first one included; else empty
    qint64 bytes = 0;   // of all files together
    QString canonical;  // where `path` leads, if that is known
    FileStamp stamp;    // of `path` where it is a file, if it was looked at
    QList<ModelCopy> copies;
};

/// What a source reports to. Called on a pool thread.
class ModelSink
{
public:
    virtual ~ModelSink() = default;
    virtual bool cancelled() const = 0; // asked at every directory entry
    virtual void visiting(const QString &folder) = 0;
    virtual void found(const FoundModel &model) = 0;
    virtual void problem(const QString &folder, const QString &message) = 0;
};

/// Every GGUF model and Hugging Face model folder below `root`.
void scanFolder(const QString &root, const QString &source, ModelSink &sink);

/// $HF_HUB_CACHE, $HF_HOME/hub, $XDG_CACHE_HOME/huggingface/hub:
/// models--org--repo/snapshots/revision.
void scanHuggingFace(ModelSink &sink);
/// ~/.lmstudio/models, ~/.cache/lm-studio/models and the folder that LM Studio's settings name.
void scanLmStudio(ModelSink &sink);
/// $OLLAMA_MODELS, ~/.ollama/models, /usr/share/ollama/.ollama/models: manifests name blobs.
void scanOllama(ModelSink &sink);
/// ~/.local/share/Jan/data: model.yml beside or instead of the file.
void scanJan(ModelSink &sink);

/// What Ollama calls the model whose weights lie at `path` ("llama3.2:1b"); empty when it is none
/// of Ollama's blobs.
QString ollamaName(const QString &path);

// For the sources.

/// False when there is no such folder; a folder that cannot be read is reported.
bool canEnter(const QString &folder, ModelSink &sink);
/// The content of a small file; empty and reported when it cannot be read, or is larger than
/// `limit`.
QByteArray readSmallFile(const QString &path, ModelSink &sink, qint64 limit = 1 << 20);

} // namespace fireside
