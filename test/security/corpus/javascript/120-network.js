const port = await host_port();
const has = typeof require === 'function';
const load = (name) => (has ? require(`node:${name}`) : import(`node:${name}`));
const opened = (emitter, event) =>
  new Promise((resolve, reject) => emitter.once(event, () => resolve(event)).once('error', reject));

await attempt({
  fetch: async () => (await fetch(`http://127.0.0.1:${port}`)).status,
  metadata: async () => (await fetch('http://169.254.169.254/')).status,
  connect: async () => opened((await load('net')).connect(port, '127.0.0.1'), 'connect'),
  six: async () => opened((await load('net')).connect(port, '::1'), 'connect'),
  abstract: async () => opened((await load('net')).connect('\0docker'), 'connect'),
  engine: async () => opened((await load('net')).connect('/var/run/docker.sock'), 'connect'),
  listen: async () =>
    opened((await load('net')).createServer().listen(0, '127.0.0.1'), 'listening'),
  datagram: async () => opened((await load('dgram')).createSocket('udp4').bind(0), 'listening'),
  lookup: async () => (await load('dns')).promises.lookup('example.com'),
  resolve: async () => (await load('dns')).promises.resolve4('example.com'),
  http: async () => opened((await load('http')).get({ port }), 'response'),
  secure: async () => opened((await load('https')).get('https://example.com'), 'response'),
  http2: async () => opened((await load('http2')).connect(`http://127.0.0.1:${port}`), 'connect'),
  webSocket: () => opened(new WebSocket(`ws://127.0.0.1:${port}`), 'open'),
  interfaces: async () => {
    const all = Object.values((await load('os')).networkInterfaces()).flat();
    return all.find(({ internal }) => !internal)?.address;
  },
});
