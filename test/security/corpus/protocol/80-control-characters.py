import sys

sys.stdout.write("\ufeffa\x1b[2J\x1b]0;title\x07\r\nb\rc\x00\x08d\u202e\n")
# No value is shown below it.
None
