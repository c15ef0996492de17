/**
 * Sandboxes by Docker or Podman.
 * @module sandboxed-ptc/docker
 */
export { dockerProvider, type DockerProviderOptions } from './docker-provider.ts';
export { type BuildImageOptions, buildImage } from './image/build-image.ts';
export type { ImagePackages } from './image/packages.ts';
