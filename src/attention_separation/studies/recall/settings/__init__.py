"""The section `recall` of the configuration, and what jobs depend on."""
