/**
 * Ends foreign text, such as a service's message, with a period, so that another sentence can
 * follow.
 */
export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
