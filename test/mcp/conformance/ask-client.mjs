// What the suite starts for each scenario: tells the client under test of it, and ends when the client has left. The client
// itself is one process for all scenarios, because it takes half a second of processor time to load.
// Usage: ask-client.mjs SOCKET URL
import { connect } from 'node:net';
import { json } from 'node:stream/consumers';

const [, , socketPath, url] = process.argv;
const { MCP_CONFORMANCE_SCENARIO: name, MCP_CONFORMANCE_CONTEXT: context = '{}' } = process.env;
const socket = connect(socketPath);
socket.write(`${JSON.stringify({ name, url, context: JSON.parse(context) })}\n`);
const { said, ended } = await json(socket);
for (const line of said) console.error(line);
process.exitCode = ended ? 0 : 1;
