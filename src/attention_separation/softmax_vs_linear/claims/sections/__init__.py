"""The paper's statements, section by section."""
