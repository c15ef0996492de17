import assert from 'node:assert/strict';
import { test, type TestGroup } from '../test-definition.ts';

/**
 * What a sandbox decides and only JavaScript shows: the threads of Node, and its loopback interface. How JavaScript itself behaves
 * is tested in `test/guests` of the repository.
 */
export function javascriptModules(): TestGroup {
  return {
    name: 'modules of Node',
    languages: ['javascript'],
    options: {},
    tests: [
      test(
        'a program waits for what the modules of Node have started',
        async (bench) => {
          const code = `
require('zlib').gzip('x', (_, bytes) => console.log('gzip', bytes.length));
require('crypto').pbkdf2('a', 'b', 1, 16, 'sha1', (_, key) => console.log('pbkdf2', key.length));
require('dns').lookup('localhost', () => console.log('lookup'));
require('http').get('http://127.0.0.1:9/').on('error', () => console.log('no answer'));
const { port1, port2 } = new MessageChannel();
port2.on('message', (text) => { console.log(text); port2.close(); });
port1.postMessage('message');
console.log('end');`;
          const { status, stdout, stderr } = await bench.runOnce(code);
          assert.deepEqual({ status, stderr }, { status: 'ok', stderr: '' });
          assert.deepEqual(
            stdout.split('\n').sort(),
            ['', 'end', 'gzip 21', 'lookup', 'message', 'no answer', 'pbkdf2 16'].sort(),
          );
        },
        { needs: 'pending callbacks' },
      ),
    ],
  };
}
