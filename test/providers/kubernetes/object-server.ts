import type { ServerResponse } from 'node:http';
import type { Metadata } from '../../../src/providers/kubernetes/pod/pod-types.ts';
import { object, refusal } from './cluster/scripted-server.ts';
import { LeaseServer, type OtherRequest } from './keys/lease-server.ts';

/** Any object of the API. */
export interface ApiObject {
  readonly metadata: Metadata;
}

/** A server that has Leases, and other objects that a test gives it. */
export class ObjectServer {
  readonly leases: LeaseServer;
  /** By their paths. */
  readonly objects: Map<string, ApiObject> = new Map();
  /** Called after a path was read. @param times - How often it was. */
  onRead: (path: string, times: number) => void = () => undefined;
  /** What its clock says. @default that of this machine */
  date: string | undefined;
  readonly #reads: Map<string, number> = new Map();
  #version = 1;

  private constructor(leases: LeaseServer) {
    this.leases = leases;
    leases.answerOthers = (request, response) => this.#answer(request, response);
  }

  /** Starts a server. It ends with the test. */
  static async start(): Promise<ObjectServer> {
    return new ObjectServer(await LeaseServer.start());
  }

  /** Adds an object, or changes one. */
  put(path: string, value: ApiObject): void {
    const resourceVersion = `v${(this.#version += 1)}`;
    this.objects.set(path, { ...value, metadata: { ...value.metadata, resourceVersion } });
  }

  #answer(request: OtherRequest, response: ServerResponse): void {
    const answer = this.#do(request);
    const { method, path } = request;
    if (method === 'GET') {
      const times = (this.#reads.get(path) ?? 0) + 1;
      this.#reads.set(path, times);
      this.onRead(path, times);
    }
    if (this.date !== undefined) response.setHeader('date', new Date(this.date).toUTCString());
    answer(response.req, response);
  }

  #do({ method, path, query, body }: OtherRequest): ReturnType<typeof object> {
    const selector = new URLSearchParams(query).get('labelSelector');
    if (selector !== null) {
      const items = [...this.objects].filter(
        ([at, { metadata }]) => at.startsWith(`${path}/`) && isSelected(metadata, selector),
      );
      return object({ items: items.map(([, item]) => item) });
    }
    const found = this.objects.get(path);
    if (found === undefined) return refusal(404, 'NotFound', path);
    if (method !== 'DELETE') return object(found);
    const { preconditions = {} } = (body ?? {}) as { preconditions?: Record<string, string> };
    for (const [field, value] of Object.entries(preconditions)) {
      const now = found.metadata[field as 'uid' | 'resourceVersion'];
      if (now !== value) return refusal(409, 'Conflict', `the ${field} is ${now}`);
    }
    this.objects.delete(path);
    return object(found);
  }
}

/** @param selector - Labels that an object must have, some with their value. */
function isSelected({ labels = {} }: Metadata, selector: string): boolean {
  return selector.split(',').every((term) => {
    const [label = '', value = labels[label]] = term.split('=');
    return label in labels && labels[label] === value;
  });
}
