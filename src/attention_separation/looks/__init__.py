"""How pictures look, whoever draws them: their colours, and the line and marker of each kernel."""
