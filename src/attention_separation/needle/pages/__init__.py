"""Pages of this study: findings, its part of the report and of docs/."""
