/**
 * The global names of tools. If an identifier has a namespace, the tool is in an object of that
 * name.
 */

import { define } from './global-names.mjs';

const { defineProperty, getOwnPropertyDescriptor, keys } = Object;

export class ToolNames {
  #ofNamespaces = new Map();
  #objects = new Map();

  /** The identifiers of the tools in each namespace. */
  get ofNamespaces() {
    return this.#ofNamespaces;
  }

  /**
   * Defines these tools. Others keep their functions, because programs may refer to them, and the
   * host refuses their calls, but they are no longer listed.
   * @param {readonly { identifier: string }[]} tools - Those without a namespace come first.
   * @param {(tool: object) => Function} makeFunction
   */
  configure(tools, makeFunction) {
    this.#ofNamespaces = new Map();
    for (const object of this.#objects.values()) hideAll(object);
    const functions = new Map();
    for (const tool of tools) {
      const { identifier } = tool;
      const callTool = makeFunction(tool);
      const dot = identifier.indexOf('.');
      if (dot === -1) {
        define(globalThis, identifier, callTool);
        functions.set(identifier, callTool);
      } else {
        const namespace = identifier.slice(0, dot);
        const object = this.#namespace(namespace, functions.get(namespace));
        this.#ofNamespaces.get(namespace).push(identifier);
        define(object, identifier.slice(dot + 1), callTool);
      }
    }
  }

  /** The object of a namespace, which may be a tool too. Programs cannot replace it. */
  #namespace(name, tool) {
    if (!this.#ofNamespaces.has(name)) {
      const object = tool ?? this.#objects.get(name) ?? {};
      this.#ofNamespaces.set(name, []);
      this.#objects.set(name, object);
      if (getOwnPropertyDescriptor(globalThis, name)?.value !== object) {
        define(globalThis, name, object);
      }
      defineProperty(globalThis, name, { __proto__: null, writable: false });
    }
    return this.#objects.get(name);
  }
}

function hideAll(object) {
  for (const name of keys(object)) {
    defineProperty(object, name, { __proto__: null, enumerable: false });
  }
}
