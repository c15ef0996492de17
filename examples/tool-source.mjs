#!/usr/bin/env node
// @ts-check
// A source of tools that changes between two programs of a session.
import assert from 'node:assert/strict';
import { SandboxExecutor, ToolRegistry } from 'sandboxed-ptc';

/** @type {Set<() => void>} */
const listeners = new Set();
let cities = ['Oslo', 'Bergen'];

/** One tool for each city, as a server may list them. */
const weather = {
  name: 'weather',
  tools: () =>
    cities.map((city) => ({
      name: city.toLowerCase(),
      description: `Returns the temperature in ${city}.`,
      run: () => city.length,
    })),
  /** @param {() => void} listener */
  onChange(listener) {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};

const tools = new ToolRegistry();
tools.addSource(weather);
const executor = new SandboxExecutor({ tools, onProgress: console.log });

try {
  const session = await executor.acquire();
  const first = await session.execute('oslo = await weather.oslo()\nprint(dir(weather), oslo)');
  console.log('before:', first.stdout.trimEnd());
  assert.equal(first.stdout, "['bergen', 'oslo'] 4\n");

  cities = ['Bergen', 'Tromsø'];
  for (const listener of listeners) listener();
  const second = await session.execute(
    'print(dir(weather), oslo)\ntry:\n    await weather.oslo()\nexcept ToolError as error:\n    print(error.type)',
  );
  console.log('after: ', second.stdout.trimEnd());
  assert.equal(second.stdout, "['bergen', 'tromsø'] 4\nUnknownTool\n");

  tools.removeSource('weather');
  assert.equal(listeners.size, 0);
} finally {
  await executor.close();
}
