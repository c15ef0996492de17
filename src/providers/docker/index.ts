/**
 * Sandboxes by Docker or Podman.
 * @module sandboxed-ptc/docker
 */
export { dockerProvider, type DockerProviderOptions } from './docker-provider.ts';
