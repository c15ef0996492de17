import urllib.request

try:
    urllib.request.urlopen("https://example.com", timeout=5)
    print("allowed")
except OSError as error:
    print("URLError" in [kind.__name__ for kind in type(error).__mro__])
