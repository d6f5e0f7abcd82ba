# Snakemake copies each file of rules before it reads it. That it can be copied is seen before the longer
# ones, for Snakemake's own error would name no file.

import sys
import tempfile


def check_copies(folder, size=2**16):
    """End the run where no file of so many bytes can be made in a folder."""
    try:
        with tempfile.TemporaryFile(dir=folder) as copy:
            copy.write(bytes(size))
            copy.flush()
    except OSError as error:
        sys.exit(
            f"{folder}: no file of {size:,} bytes can be made in this folder: {error.strerror}"
        )


check_copies(workflow.sourcecache.runtime_cache_path)
