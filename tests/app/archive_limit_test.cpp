#include "app/exchange/chat_archive.h"
#include "app/exchange/chat_formats.h"
#include "support.h"

#include <zip.h>

// An archive that unpacks to far more than it is.
namespace fireside::test {
namespace {

TEST(ArchiveLimit, WhatUnpacksToMoreThanTheLimitIsRefused)
{
    const QString path = newFolder() + QStringLiteral("/bomb.zip");
    const QByteArray zeros(8 << 20, '0');
    zip_t *zip = zip_open(qPrintable(path), ZIP_CREATE, nullptr);
    zip_file_add(zip, "conversations.json",
                 zip_source_buffer(zip, zeros.constData(), zip_uint64_t(zeros.size()), 0),
                 ZIP_FL_ENC_UTF_8);
    ASSERT_EQ(zip_close(zip), 0);
    EXPECT_EQ(formats::chatsInArchive(path, 8 << 20).value(0).json.size(), 8 << 20);
    try {
        formats::chatsInArchive(path, (8 << 20) - 1);
        FAIL() << "it was unpacked";
    } catch (const ChatFileError &error) {
        EXPECT_TRUE(error.text().contains(QStringLiteral("8388607"))) << qPrintable(error.text());
    }
}

} // namespace
} // namespace fireside::test
