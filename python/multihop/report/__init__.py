"""Reports: one HTML file each, with its figures inside, that needs neither network nor scripts."""
