nasty = "\x1b[2J\x1b]0;title\x07\x9b31m\x85\u202e\u2066\u2028\u2029\u200b\x7f\r\x00\U000e0041"
import sys

print(nasty * 1_000)
sys.stderr.write("\x1b" * 200_000 + "\u202e" * 100_000)
class_name = type("Wrong" + nasty.replace("\0", ""), (Exception,), {})
raise class_name(nasty)
