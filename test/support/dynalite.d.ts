declare module 'dynalite' {
  import type { Server } from 'node:http';

  /** the package brings no types of its own */
  const dynalite: (options?: { readonly createTableMs?: number }) => Server;
  export default dynalite;
}
