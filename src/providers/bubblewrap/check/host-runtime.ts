/** The pipes of a sandbox need sockets of Node that Bun and Deno do not have: they hang, or fail. */
export function otherRuntime(versions: NodeJS.ProcessVersions): 'Bun' | 'Deno' | undefined {
  if (versions['bun'] !== undefined) return 'Bun';
  return versions['deno'] === undefined ? undefined : 'Deno';
}
