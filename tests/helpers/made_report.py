"""A report of Snakemake's, read as a file."""

import base64
import json
import re
from pathlib import Path
from urllib.parse import unquote_to_bytes


class Report:
    """The results in it, by path, their categories, and where it is."""

    def __init__(self, path: Path):
        self.path = path
        self.text = path.read_text(encoding="utf-8")
        self.results = self._variable("results")
        self.categories = self._variable("categories")

    def _variable(self, name: str):
        text = self.text.split(f'<script id="{name}">')[1]
        return json.loads(re.match(rf"\s*var {name} = (.*?);\s*</script>", text, re.S).group(1))

    def content(self, path: str) -> bytes:
        """The bytes of a result."""
        head, _, data = self.results[path]["data_uri"].partition(",")
        return base64.b64decode(data) if head.endswith("base64") else unquote_to_bytes(data)
