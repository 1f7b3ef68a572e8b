"""Says what is inside the program: a bill of materials (CycloneDX 1.5) and the licence texts of all of it."""

import argparse
import json
import pathlib
import subprocess
import uuid

# Where a crate keeps its licence, if not in files of these names: nowhere.
NAMES = ("LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE")


def load_packages(target, flags):
    """The crates that are compiled in, without those that only build or test."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", target, *flags]
    metadata = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    [root] = [key for key, package in packages.items() if package["name"] == "pharos" and package["source"] is None]
    found, ahead = {}, [root]
    while ahead:
        key = ahead.pop()
        if key in found:
            continue
        links = [link for link in nodes[key]["deps"] if any(kind["kind"] is None for kind in link["dep_kinds"])]
        found[key] = [link["pkg"] for link in links]
        ahead.extend(found[key])
    return root, {key: packages[key] for key in found}, found


def name_of(package):
    return f"pkg:cargo/{package['name']}@{package['version']}"


def build_sbom(version, root, packages, links):
    def component(package):
        part = {
            "type": "library",
            "bom-ref": name_of(package),
            "name": package["name"],
            "version": package["version"],
            "purl": name_of(package),
        }
        if package.get("license"):
            # Older crates write a slash for "or".
            part["licenses"] = [{"expression": package["license"].replace("/", " OR ").replace("  ", " ")}]
        if package.get("repository"):
            part["externalReferences"] = [{"type": "vcs", "url": package["repository"]}]
        return part

    own = {**component(packages[root]), "type": "application", "version": version}
    others = sorted((package for key, package in packages.items() if key != root), key=name_of)
    depends = [
        {"ref": name_of(packages[key]), "dependsOn": sorted({name_of(packages[link]) for link in others})}
        for key, others in sorted(links.items(), key=lambda pair: name_of(packages[pair[0]]))
    ]
    text = json.dumps([name_of(package) for package in others])
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, version + text)}",
        "version": 1,
        "metadata": {"component": own},
        "components": [component(package) for package in others],
        "dependencies": depends,
    }


def licence_files(package):
    folder = pathlib.Path(package["manifest_path"]).parent
    named = (path for path in folder.iterdir() if path.is_file() and path.name.upper().startswith(NAMES))
    return sorted(named)


def write_licences(path, packages, duckdb):
    """Writes each text once, below the names of all that it covers."""
    texts = {}
    for package in sorted(packages, key=name_of):
        title = f"{package['name']} {package['version']} ({package.get('license') or 'see the text'})"
        for file in licence_files(package):
            texts.setdefault(file.read_text(errors="replace").strip(), []).append(title)
    if duckdb:
        texts.setdefault(duckdb.read_text().strip(), []).append("DuckDB (MIT)")
    with path.open("w") as out:
        out.write("What is compiled into pharos, or lies beside it, and under which licences.\n")
        for text, titles in sorted(texts.items(), key=lambda pair: pair[1]):
            out.write("\n" + "=" * 80 + "\n" + "\n".join(titles) + "\n" + "-" * 80 + f"\n{text}\n")


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--target", required=True)
    arguments.add_argument("--version", required=True)
    arguments.add_argument("--sbom", type=pathlib.Path, required=True)
    arguments.add_argument("--licences", type=pathlib.Path, required=True)
    arguments.add_argument("--duckdb", type=pathlib.Path)
    arguments.add_argument("flags", nargs="*")
    given = arguments.parse_args()
    root, packages, links = load_packages(given.target, given.flags)
    given.sbom.write_text(json.dumps(build_sbom(given.version, root, packages, links), indent=1) + "\n")
    others = [package for key, package in packages.items() if package["source"] is not None]
    write_licences(given.licences, others, given.duckdb)


main()
