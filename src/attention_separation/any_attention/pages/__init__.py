"""Pages of this study: tables, findings, its part of the report and of docs/."""
