"""Other people's descriptions of networks, read and written as scenario files."""
