"""The needle as a study: accuracy limits, trained networks, figures and claims."""
