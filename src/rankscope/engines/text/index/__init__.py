"""The index: columns of terms and postings, built in blocks, kept on a disk, and read as one."""
