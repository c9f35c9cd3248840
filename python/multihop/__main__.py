"""`python -m multihop` is the command `multihop`, where that is not on the path."""

from multihop.cli import main

if __name__ == "__main__":
    main()
