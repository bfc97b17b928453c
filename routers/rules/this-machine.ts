import { isLocalhost } from './localhost.ts';
import { isLoopback } from './loopback.ts';

/** Returns whether a host, a name or the address of a URL, leads to the machine itself. */
export function isLocal(host: string): boolean {
  return isLocalhost(host) || isLoopback(host.replace(/^\[|\]$/g, ''));
}
