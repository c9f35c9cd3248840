"""Files: what users give, what multihop writes, and what a folder of records is made of."""
