print(execution.isdigit())
print("forbidden:", await ask("forbidden", {}))
