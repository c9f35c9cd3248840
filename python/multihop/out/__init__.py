"""What a person reads: tables, progress, HTML of notebooks."""
