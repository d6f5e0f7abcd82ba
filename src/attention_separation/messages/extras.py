"""Optional libraries: an *extra* is a group of them that pip installs together."""


def how_to_install(extra: str) -> str:
    """What to type for an extra of pyproject.toml.

    In a clone, by its folder: no package index has this project, so its name there may become
    somebody else's.
    """
    return f"in a clone of the project, type: pip install '.[{extra}]'"
