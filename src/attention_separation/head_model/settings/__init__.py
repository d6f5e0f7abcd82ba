"""The section `head_model` of the configuration, and what jobs depend on."""
