/** A variable of this process that sandboxes must not see. */
export const HOST_VARIABLE = 'SANDBOXED_PTC_HOST_VARIABLE';

/** Sets the variable until it is disposed. */
export function setHostVariable(): Disposable {
  process.env[HOST_VARIABLE] = '1';
  return {
    [Symbol.dispose]: () => {
      delete process.env[HOST_VARIABLE];
    },
  };
}
