"""Packs the installed tree as a Python wheel, so that `pipx run pharos` and `uvx pharos` start the program."""

import argparse
import base64
import hashlib
import os
import pathlib
import re
import subprocess
import time
import zipfile

EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))


def newest_glibc(paths):
    """The newest version of glibc whose symbols the files name, as `(2, 28)`."""
    versions = {(2, 17)}
    for path in paths:
        printed = subprocess.run(["objdump", "-T", path], check=True, capture_output=True, text=True).stdout
        versions.update((int(major), int(minor)) for major, minor in re.findall(r"GLIBC_(\d+)\.(\d+)", printed))
    return max(versions)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("tree", type=pathlib.Path)
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--version", required=True)
    arguments.add_argument("--arch", required=True)
    given = arguments.parse_args()

    program, libraries = given.tree / "bin/pharos", sorted((given.tree / "lib/pharos").iterdir())
    major, minor = newest_glibc([program, *libraries])
    tag = f"py3-none-manylinux_{major}_{minor}_{given.arch}"
    readme = (given.tree / "share/doc/pharos/README.md").read_text()
    about = f"pharos-{given.version}.dist-info"
    files = {f"pharos-{given.version}.data/scripts/pharos": program.read_bytes()}
    # Installed below the environment's prefix, where the program looks for it: ../lib/pharos.
    for library in libraries:
        files[f"pharos-{given.version}.data/data/lib/pharos/{library.name}"] = library.read_bytes()
    files[f"{about}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: scripts/release\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    files[f"{about}/METADATA"] = (
        f"Metadata-Version: 2.4\nName: pharos\nVersion: {given.version}\n"
        "Summary: Web analytics, event ingestion, short links, uptime monitors, status pages and feature flags in one program\n"
        "License-Expression: Apache-2.0\nLicense-File: LICENSE\nLicense-File: THIRD-PARTY.txt\n"
        f"Requires-Python: >=3.8\nDescription-Content-Type: text/markdown\n\n{readme}"
    ).encode()
    for name in ("LICENSE", "THIRD-PARTY.txt"):
        files[f"{about}/licenses/{name}"] = (given.tree / "share/doc/pharos" / name).read_bytes()

    record = ""
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    files[f"{about}/RECORD"] = f"{record}{about}/RECORD,,\n".encode()

    moment = time.gmtime(max(EPOCH, 315_532_800))[:6]
    with zipfile.ZipFile(given.folder / f"pharos-{given.version}-{tag}.whl", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, moment)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if "/scripts/" in name else 0o100644) << 16
            wheel.writestr(entry, content)


main()
