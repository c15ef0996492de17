/** Whether `fetch` can send a header. Its error for one that it cannot send quotes the value. */
export function isSendable(name: string, value: string): boolean {
  try {
    new Headers().append(name, value);
    return true;
  } catch {
    return false;
  }
}
