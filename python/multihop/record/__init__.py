"""Records of runs and their comparison, as objects, tables and documents."""
