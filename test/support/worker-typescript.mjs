// Lets the worker threads of a test be TypeScript: they are given it by NODE_OPTIONS.
import { register } from 'node:module';

register(new URL('./typescript-loader.mjs', import.meta.url));
