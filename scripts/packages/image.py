"""Packs the installed tree as a container image: an OCI archive that `docker load` and `podman load` take, too.

The root holds the program, the query engine's library, the C and C++ libraries that both need, names for two
users and certificates. It has no shell and no package manager, and the program runs as user 65532.
"""

import argparse
import gzip
import hashlib
import io
import json
import os
import pathlib
import subprocess
import tarfile
import time

EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
USER = 65532
DATA = "var/lib/pharos"
CERTIFICATES = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")


def linked_libraries(paths):
    """The system's libraries that programs load, as the loader of this machine finds them."""
    found = set()
    for path in paths:
        printed = subprocess.run(["ldd", path], check=True, capture_output=True, text=True).stdout
        for line in printed.splitlines():
            words = line.split()
            library = words[2] if "=>" in words and len(words) > 2 else words[0]
            if library.startswith("/") and "libduckdb" not in library:
                found.add(library)
    return sorted(found)


def copyright_of(library):
    """The copyright file of the Debian package that a library is from."""
    for path in (library, os.path.realpath(library), os.path.realpath(library).removeprefix("/usr")):
        owner = subprocess.run(["dpkg", "-S", path], capture_output=True, text=True)
        if owner.returncode == 0:
            package = owner.stdout.split(":")[0]
            return package, pathlib.Path(f"/usr/share/doc/{package}/copyright")
    return None


class Layer:
    """A tar archive whose bytes depend on its files alone."""

    def __init__(self):
        self.bytes = io.BytesIO()
        self.tar = tarfile.open(fileobj=self.bytes, mode="w", format=tarfile.GNU_FORMAT)
        self.folders = set()

    def add(self, path, content=None, mode=0o644, owner=0):
        """Adds a file, or a folder when there is no content, and the folders above it."""
        above = os.path.dirname(path)
        if above and above not in self.folders:
            self.add(above, mode=0o755)
        entry = tarfile.TarInfo(path)
        entry.mode, entry.mtime, entry.uid, entry.gid = mode, EPOCH, owner, owner
        if content is None:
            if path in self.folders:
                return
            self.folders.add(path)
            entry.type = tarfile.DIRTYPE
            self.tar.addfile(entry)
        else:
            entry.size = len(content)
            self.tar.addfile(entry, io.BytesIO(content))

    def finish(self):
        self.tar.close()
        return self.bytes.getvalue()


def build_layer(tree):
    layer = Layer()
    program, libraries = tree / "bin/pharos", sorted((tree / "lib/pharos").iterdir())
    for path in [program, *libraries, *sorted((tree / "share/doc/pharos").iterdir())]:
        layer.add(f"usr/{path.relative_to(tree)}", path.read_bytes(), 0o755 if path == program else 0o644)
    for library in linked_libraries([program, *libraries]):
        layer.add(library.lstrip("/"), pathlib.Path(library).read_bytes(), 0o755)
        owner = copyright_of(library)
        if owner and f"doc:{owner[0]}" not in layer.folders and owner[1].exists():
            layer.folders.add(f"doc:{owner[0]}")
            layer.add(str(owner[1]).lstrip("/"), owner[1].read_bytes())
    users = f"root:x:0:0:root:/:/nologin\npharos:x:{USER}:{USER}:pharos:/{DATA}:/nologin\n"
    layer.add("etc/passwd", users.encode())
    layer.add("etc/group", f"root:x:0:\npharos:x:{USER}:\n".encode())
    layer.add("etc/nsswitch.conf", b"hosts: files dns\n")
    if CERTIFICATES.exists():
        layer.add(str(CERTIFICATES).lstrip("/"), CERTIFICATES.read_bytes())
    layer.add(DATA, mode=0o750, owner=USER)
    layer.add("tmp", mode=0o1777)
    return layer.finish()


def build_config(version, arch, diff_id):
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(EPOCH))
    ports = {"api": 8080, "track": 8081, "links": 8082}
    listeners = [f"PHAROS__SERVER__{name.upper()}_LISTEN=0.0.0.0:{port}" for name, port in ports.items()]
    return {
        "created": created,
        "architecture": arch,
        "os": "linux",
        "config": {
            "User": f"{USER}:{USER}",
            "WorkingDir": f"/{DATA}",
            "Entrypoint": ["/usr/bin/pharos"],
            "Cmd": ["serve"],
            "Env": ["PATH=/usr/bin", f"PHAROS__STORAGE__DATA_DIR=/{DATA}", *listeners],
            "ExposedPorts": {f"{port}/tcp": {} for port in ports.values()},
            "Volumes": {f"/{DATA}": {}},
            "StopSignal": "SIGTERM",
            # Docker reads it; the OCI's specification knows no health check, and Kubernetes has probes of its own.
            "Healthcheck": {
                "Test": ["CMD", "/usr/bin/pharos", "healthcheck"],
                "Interval": 10_000_000_000,
                "Timeout": 5_000_000_000,
                "StartPeriod": 10_000_000_000,
            },
            "Labels": {
                "org.opencontainers.image.title": "pharos",
                "org.opencontainers.image.version": version,
                "org.opencontainers.image.licenses": "Apache-2.0",
            },
        },
        "rootfs": {"type": "layers", "diff_ids": [diff_id]},
        "history": [{"created": created, "created_by": "scripts/release"}],
    }


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("tree", type=pathlib.Path)
    arguments.add_argument("archive", type=pathlib.Path)
    arguments.add_argument("--version", required=True)
    arguments.add_argument("--arch", required=True)
    given = arguments.parse_args()

    blobs = {}

    def add_blob(content, media):
        digest = hashlib.sha256(content).hexdigest()
        blobs[f"blobs/sha256/{digest}"] = content
        return {"mediaType": media, "digest": f"sha256:{digest}", "size": len(content)}

    plain = build_layer(given.tree)
    packed = gzip.compress(plain, compresslevel=9, mtime=0)
    layer = add_blob(packed, "application/vnd.oci.image.layer.v1.tar+gzip")
    config = build_config(given.version, given.arch, f"sha256:{hashlib.sha256(plain).hexdigest()}")
    config = add_blob(json.dumps(config).encode(), "application/vnd.oci.image.config.v1+json")
    media = "application/vnd.oci.image.manifest.v1+json"
    manifest = {"schemaVersion": 2, "mediaType": media, "config": config, "layers": [layer]}
    manifest = add_blob(json.dumps(manifest).encode(), media)
    platform = {"architecture": given.arch, "os": "linux"}
    name = f"pharos:{given.version}"
    annotations = {"org.opencontainers.image.ref.name": given.version, "io.containerd.image.name": f"docker.io/library/{name}"}
    index = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.index.v1+json",
        "manifests": [{**manifest, "platform": platform, "annotations": annotations}],
    }
    path = lambda blob: f"blobs/sha256/{blob['digest'].removeprefix('sha256:')}"
    # What `docker load` read before it knew the OCI's layout.
    docker = [{"Config": path(config), "RepoTags": [name], "Layers": [path(layer)]}]

    archive = Layer()
    archive.add("oci-layout", b'{"imageLayoutVersion":"1.0.0"}')
    archive.add("index.json", json.dumps(index).encode())
    archive.add("manifest.json", json.dumps(docker).encode())
    for file, content in sorted(blobs.items()):
        archive.add(file, content)
    given.archive.write_bytes(archive.finish())


main()
