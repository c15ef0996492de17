/**
 * The global names of tools. If an identifier has a namespace, the tool is in an object of that
 * name.
 */

import { define } from './global-names.mjs';

const { defineProperty, hasOwn } = Object;

export class ToolNames {
  #ofNamespaces = new Map();

  /** The identifiers of the tools in each namespace. */
  get ofNamespaces() {
    return this.#ofNamespaces;
  }

  /** Adds a tool. Programs cannot replace its namespace. */
  add(identifier, callTool) {
    const path = identifier.split('.');
    const name = path.pop();
    let scope = globalThis;
    for (const part of path) {
      if (!hasOwn(scope, part) || (scope === globalThis && !this.#ofNamespaces.has(part))) {
        define(scope, part, {});
        defineProperty(scope, part, { writable: false });
      }
      scope = scope[part];
    }
    if (path.length > 0) {
      const known = this.#ofNamespaces.get(path[0]) ?? [];
      this.#ofNamespaces.set(path[0], known.includes(identifier) ? known : [...known, identifier]);
    }
    define(scope, name, callTool);
  }
}
