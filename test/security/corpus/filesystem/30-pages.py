with open("/tmp/pages", "wb") as file:
    for _ in range(14):
        file.write(bytes(1 << 20))
print("kept")
