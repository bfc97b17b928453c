import type { EventEmitter } from 'node:events';

/** Resolves when a socket is closed, by a farewell or by a reset: `once` would reject at the second. */
export function closeOf(socket: EventEmitter): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}
