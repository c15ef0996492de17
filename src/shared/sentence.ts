/** Somebody else's words, such as a service's, as a sentence that others can follow. */
export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
