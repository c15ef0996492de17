interface Listeners {
  readonly all: Set<() => void>;
  readonly fire: () => void;
}

/** Of the signals that have some. */
const listenersOf: WeakMap<AbortSignal, Listeners> = new WeakMap();

/**
 * Calls a function once if the signal fires from now on, and returns a function that prevents that.
 * A signal compares a listener that is added or removed with each that it has, so thousands of
 * requests that wait for one signal would hold the event loop. It gets one for all of them.
 * @param listener - Must not throw. Each caller passes a function of its own.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  const { all, fire } = listenersOf.get(signal) ?? listenTo(signal);
  all.add(listener);
  return () => {
    if (!all.delete(listener) || all.size > 0) return;
    listenersOf.delete(signal);
    signal.removeEventListener('abort', fire);
  };
}

function listenTo(signal: AbortSignal): Listeners {
  const all = new Set<() => void>();
  const fire = (): void => {
    for (const listener of all) listener();
  };
  const listeners = { all, fire };
  listenersOf.set(signal, listeners);
  signal.addEventListener('abort', fire);
  return listeners;
}
