"""Where things are printed: standard output, standard error, and what they can show."""
