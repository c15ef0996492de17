import socket

port = await host_port()
for address in ("127.0.0.1", "localhost", "0.0.0.0", "::1"):
    try:
        with socket.create_connection((address, port), 3) as connection:
            connection.sendall(b"x")
            print(address, connection.recv(10))
    except OSError:
        print(address, "refused")
