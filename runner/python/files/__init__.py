"""What the host does with the files in `/tmp`. It runs in the sandbox, with the rights of a program."""
