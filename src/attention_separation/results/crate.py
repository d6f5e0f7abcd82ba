"""Results, and what made them, as a Workflow Run RO-Crate: https://w3id.org/ro/wfrun/workflow/0.5.

The zip holds the files as they are and, in ro-crate-metadata.json, what each is, its sha256, and
which run made it of what. Nothing in it comes from the clock or from chance: two crates of the same
files, with the same dates, have the same bytes.
"""

import hashlib
import json
import mimetypes
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import yaml
from rocrate.model import ContextEntity, Entity
from rocrate.rocrate import ROCrate

from attention_separation import __version__

from .files import replacing
from .manifest import NAME, sha256

WORKFLOW = "Snakefile"
CONFIG = "config.yaml"
SINGLE = {
    CONFIG: "all settings of the run, but for those given on the command line",
    "README.md": "what this is, what was found, and how to make it again",
    "CITATION.cff": "how to cite this, and the papers whose results are made again",
    "LICENSE": "the licence",
    "Makefile": "`make paper` and `make rank` set up an environment and run the workflow",
    "pyproject.toml": "the package, and what it needs",
}
LOCKS = "requirements*.lock"
FOLDERS = {
    "workflow": "the rules, which the Snakefile includes",
    "profiles": "settings of Snakemake, for one machine and for clusters",
    "src": "the package: every job is `python -m attention_separation job MODULE`",
}
"""What of the repository goes with results, beside the Snakefile."""

KINDS = {
    "panels": "simulated points, with counts, success rates and 95 % intervals",
    "exact": "the same points computed without simulation",
    "cells": "training runs",
    "numbers": "what is computed without training",
    "figures": "a figure, or its numbers",
    "tables": "a table",
}
"""What files of results are, by their folder."""

PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": "Process Run Crate",
    "https://w3id.org/ro/wfrun/workflow/0.5": "Workflow Run Crate",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": "Workflow RO-Crate",
}
TERMS = "https://w3id.org/ro/terms/workflow-run/context"
"""Has the word sha256, for RO-Crate 1.1, on which these profiles are built."""

LICENSES = {"MIT": "https://spdx.org/licenses/MIT"}
MEDIA = {".parquet": "application/vnd.apache.parquet", ".cff": "text/yaml", ".toml": "text/toml"}
FIRST_DATE = (1980, 1, 1, 0, 0, 0)
"""The earliest that a zip can say, of every file in it."""


@dataclass(frozen=True)
class Run:
    """What is said of the run, or the runs, that made results.

    Attributes
    ----------
    begun, ended : times in ISO 8601; begun is None where it is not known
    overrides : what stood after --config
    agent : who ran it; None where nobody is named
    missing : how many files of a whole run are not among the results
    """

    begun: str | None
    ended: str
    overrides: Sequence[str] = ()
    agent: str | None = None
    missing: int = 0


def repository_files(root: Path) -> list[Path]:
    """What of the repository goes with results, below its root, in order."""
    single = [WORKFLOW, *SINGLE, *sorted(path.name for path in root.glob(LOCKS))]
    within = [
        path.relative_to(root)
        for folder in FOLDERS
        for path in sorted((root / folder).rglob("*"))
        if path.is_file()
        and not any(part.endswith((".egg-info", "__pycache__")) for part in path.parts)
    ]
    return [Path(name) for name in single if (root / name).is_file()] + within


def metadata(root: Path, results: Sequence[Path], run: Run) -> dict[str, Any]:
    """ro-crate-metadata.json of results in a clone at `root`; paths are below it."""
    citation = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    title, abstract = citation["title"], citation["abstract"].strip()
    (author,) = (each["name"] for each in citation["authors"])
    crate = ROCrate(version="1.1")
    crate.metadata.extra_contexts.append(TERMS)

    def entity(identifier: str, kind: str, **properties: Any) -> Entity:
        return crate.add(ContextEntity(crate, identifier, {"@type": kind} | properties))

    team = entity("#authors", "Organization", name=author)
    license_ = entity(LICENSES[citation["license"]], "CreativeWork", name=citation["license"])
    for profile, name in PROFILES.items():
        entity(profile, "CreativeWork", name=name, version=profile.rpartition("/")[2])
    crate.name = f"Results of {title}"
    crate.description = abstract
    if run.missing:
        crate.description += f" Of the files of a whole run {run.missing} are not here."
    crate.license, crate.creator = license_, team
    crate.root_dataset["author"] = team
    crate.keywords = ", ".join(citation["keywords"])
    crate.datePublished = run.ended
    crate.root_dataset["conformsTo"] = [{"@id": profile} for profile in PROFILES]

    def file(path: Path, about: str) -> Entity:
        return crate.add_file(root / path, path.as_posix(), properties=_facts(root, path, about))

    workflow = crate.add_workflow(
        root / WORKFLOW, WORKFLOW, main=True, lang="snakemake", lang_version=version("snakemake"),
        properties=_facts(root, Path(WORKFLOW), "makes every figure and table") | {
            "name": title, "version": __version__, "license": license_, "creator": team,
            **({"url": citation["repository-code"]} if "repository-code" in citation else {}),
        },
    )  # fmt: skip
    single = {
        path.name: file(path, SINGLE.get(path.name, "versions and hashes of packages"))
        for path in repository_files(root)
        if len(path.parts) == 1 and path.name != WORKFLOW
    }
    single["README.md"]["about"] = crate.root_dataset
    for folder, about in FOLDERS.items():
        crate.add_dataset(
            root / folder, f"{folder}/", properties={"name": folder, "description": about}
        )
    made = [file(path, _about(path)) for path in results]
    given = [
        entity(f"#{key}", "PropertyValue", name=key, value=value)
        for key, _, value in (text.partition("=") for text in run.overrides)
    ]
    action = entity(
        f"#run-{_digest([single[CONFIG], *made])}", "CreateAction", name=f"Run of {title}",
        description=" ".join(["snakemake", *(f"--config '{text}'" for text in run.overrides)]),
        actionStatus="http://schema.org/CompletedActionStatus", endTime=run.ended,
        **({"startTime": run.begun} if run.begun else {}),
    )  # fmt: skip
    action["instrument"], action["result"] = workflow, made
    action["object"] = [single[CONFIG], *given] if given else single[CONFIG]
    if run.agent:
        action["agent"] = entity("#agent", "Person", name=run.agent)
    crate.root_dataset["mentions"] = action
    return crate.metadata.generate()


def write_crate(target: Path, root: Path, paths: Iterable[Path], described: dict[str, Any]) -> None:
    """A zip of files below `root` and what is said of them, whole or not at all."""
    text = json.dumps(described, indent=1, ensure_ascii=False) + "\n"
    with replacing(target) as part, zipfile.ZipFile(part, "w") as archive:
        contents = {"ro-crate-metadata.json": text.encode()}
        for name in ["ro-crate-metadata.json", *(path.as_posix() for path in paths)]:
            content = contents.get(name) or (root / name).read_bytes()
            entry = zipfile.ZipInfo(name, FIRST_DATE)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)


def _about(path: Path) -> str:
    """What a file of results is."""
    return (
        "the sha256 of every picture, csv and page" if path.name == NAME else KINDS[path.parts[-2]]
    )


def _facts(root: Path, path: Path, about: str) -> dict[str, Any]:
    """What is said of any file."""
    return {
        "name": path.as_posix(),
        "description": about,
        "encodingFormat": MEDIA.get(path.suffix)
        or mimetypes.guess_type(path.name)[0]
        or "text/plain",
        "contentSize": str((root / path).stat().st_size),
        "sha256": sha256(root / path),
    }


def _digest(entities: Iterable[Entity]) -> str:
    """A name for the run that had these files: others, another name."""
    return hashlib.sha256("".join(each["sha256"] for each in entities).encode()).hexdigest()[:16]
