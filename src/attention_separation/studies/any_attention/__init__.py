"""Any attention kernel as a study: tables, laws and figures of the built-in kernels."""
