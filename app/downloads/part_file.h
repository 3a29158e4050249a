#pragma once
#include "app/downloads/byte_ranges.h"
#include "app/downloads/remote_file.h"

#include <QString>

namespace fireside {

/// A file that is not whole yet: its bytes in a hidden folder beside its place, and a state that
/// says which of them are there. Both outlive the program. Functions return what went wrong, as a
/// clause; empty: nothing did.
class PartFile
{
public:
    PartFile(const QString &folder, const RemoteFile &file);
    ~PartFile(); // both files stay
    PartFile(const PartFile &) = delete;
    PartFile &operator=(const PartFile &) = delete;

    /// Takes over what an earlier run left, as far as it is certain that it belongs to the file.
    QString open();
    QString write(qint64 at, const QByteArray &data);
    /// First the bytes, then the state that promises them, reach the disk.
    QString save();
    /// Forgets all bytes.
    QString restart();
    /// The file gets its name, which nothing may have yet.
    QString finish();
    /// Another run may take it over.
    void close();
    /// Both files go, and the hidden folder when nothing else is in it.
    void discard();

    const ByteRanges &done() const { return m_done; }
    qint64 size() const { return m_size; } // −1: not known yet
    void setSize(qint64 size) { m_size = size; }
    const QByteArray &validator() const { return m_validator; }
    void setValidator(const QByteArray &validator) { m_validator = validator; }
    const QString &path() const { return m_path; }     // of the bytes
    const QString &target() const { return m_target; } // of the whole file
    /// Free on the disk; −1: cannot be told.
    qint64 freeBytes() const;

private:
    void readState();

    const RemoteFile m_file;
    const QString m_target, m_folder, m_path, m_statePath;
    int m_descriptor = -1;
    ByteRanges m_done;
    qint64 m_size = -1;
    QByteArray m_validator;
};

/// Where parts lie below a chosen folder.
QString partsFolder(const QString &folder);

} // namespace fireside
