// The floor of the web chat: a node:http server that answers each message at once, with no
// conversation, model or sandbox.
import { createServer } from 'node:http';

const EVENTS = ['run-started', 'text-delta', 'run-ended'].map(
  (type) => `data: ${JSON.stringify({ type })}\n\n`,
);

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    if (request.url === '/conversations') response.end('{"id":"1"}');
    else answer(response);
  });
});
server.listen(0, '127.0.0.1', () => console.log(`Open http://127.0.0.1:${server.address().port}`));

function answer(response) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of EVENTS) response.write(event);
  response.end();
}
