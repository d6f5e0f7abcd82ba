"""What exact values tell beyond the figures: audits of the panels, each a table or a figure."""
