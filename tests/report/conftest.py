"""The small project of the workflow's tests, all of it made."""

from workflow.conftest import made_once

__all__ = ["made_once"]
