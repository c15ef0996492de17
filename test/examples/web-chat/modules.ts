import type { Server } from 'node:http';

/** Imports a file of the example, which has no types for tests. */
export async function loadExample<Module>(file: string): Promise<Module> {
  const path: string = `../../../examples/web-chat/${file}`;
  return (await import(path)) as Module;
}

export interface EventStreamModule {
  readonly sendEvents: (
    reply: unknown,
    run: (signal: AbortSignal) => AsyncIterable<unknown>,
  ) => Promise<void>;
}

interface RoutesModule {
  /** @param parts - Those of the example, or what a test has instead. */
  readonly makeServer: (parts: object) => {
    readonly server: Server;
    readonly listen: (options: { host: string; port: number }) => Promise<string>;
    readonly close: () => Promise<void>;
  };
}

export async function loadRoutes(): Promise<RoutesModule> {
  return loadExample<RoutesModule>('routes.mjs');
}
