import { expect, it } from 'vitest';
import { accessOf, admit } from '../../../src/mcp/server/http/access.ts';

const TOKEN = 'token-of-the-only-caller';

it.each(['FE80::1', 'fe80:0:0:0:0:0:0:1', 'LocalHost'])(
  'a client reaches a server that listens on %s, however it writes the address',
  (host) => {
    const access = accessOf({ port: 0, host, tokens: [TOKEN] });
    const written = host.includes(':') ? '[fe80::1]:8000' : 'localhost:8000';
    const headers = { host: written, authorization: `Bearer ${TOKEN}` };
    expect(admit(headers, access)).toEqual({ caller: 'token 0' });
  },
);
