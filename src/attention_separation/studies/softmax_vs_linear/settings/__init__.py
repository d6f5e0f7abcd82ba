"""The paper's section of the configuration: panels, defaults, reconstruction, jobs."""
