import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';
import { LRUCache } from 'lru-cache';

/** One for each version that is tried, with and without the root of this installation. */
const CONTEXTS_KEPT = 8;

const contexts = new WeakMap<readonly string[], LRUCache<string, SecureContext>>();

type Versions = Pick<SecureContextOptions, 'minVersion' | 'maxVersion' | 'ciphers'>;

/**
 * Returns the context of connections that trust these roots, and some more. It is made once, and not for each of them:
 * parsing the 144 roots of Node 20 takes 30 ms of the event loop.
 */
export function trusting(
  roots: readonly string[],
  more: readonly string[] = [],
  versions: Versions = {},
): SecureContext {
  const known = contexts.get(roots) ?? new LRUCache<string, SecureContext>({ max: CONTEXTS_KEPT });
  contexts.set(roots, known);
  const key = JSON.stringify([more, versions]);
  const context = known.get(key) ?? createSecureContext({ ca: [...roots, ...more], ...versions });
  known.set(key, context);
  return context;
}
