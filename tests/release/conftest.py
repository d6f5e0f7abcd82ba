"""Copies of the project, as the workflow's tests have them."""

from workflow.conftest import made, made_once, project

__all__ = ["made", "made_once", "project"]
