import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Above the last port that browsers refuse (10080), below those that systems give to outgoing connections (Linux: from
 * 32768): what is let go for the time of a restart is not taken by a connection of somebody else.
 */
const LOWEST = 11_000;
const HIGHEST = 32_000;
/** So far apart two processes of which one is started after the other begin. */
const STRIDE = 97;

/** Goes up from a place of this process: what it has found free, no other process of the tests looks at soon. */
let next = (process.pid * STRIDE) % (HIGHEST - LOWEST);

/** Returns a port that was free a moment ago, on every address of this machine, and that was not given before. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = LOWEST + next;
    next = (next + 1) % (HIGHEST - LOWEST);
    if (await isFree(port)) return port;
  }
}

/** Starts something on such a port; on another one where somebody has taken it, or one that it needs besides, in between. */
export async function onFreePort<Started>(start: (port: number) => Promise<Started>): Promise<Started> {
  for (;;) {
    try {
      return await start(await freePort());
    } catch (error) {
      if (!/already in use|EADDRINUSE/.test(String(error))) throw error;
    }
  }
}

/** Returns three of them, for the app and its sites. */
export async function freePorts(): Promise<{ port: number; sitesPort: number; tlsPort: number }> {
  const ports = new Set<number>();
  while (ports.size < 3) ports.add(await freePort());
  const [port = 0, sitesPort = 0, tlsPort = 0] = ports;
  return { port, sitesPort, tlsPort };
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port);
  const isListening = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  if (isListening) await once(server.close(), 'close');
  return isListening;
}
