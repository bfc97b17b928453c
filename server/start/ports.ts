import { once } from 'node:events';
import { createServer } from 'node:net';
import { errnoOf } from '../durable-file.ts';
import type { Env } from '../env.ts';
import { EXIT_CONFIG, EXIT_FAILED, StartError } from './start-error.ts';

/** Before anything is started: a second start on the same ports is told so without touching the database. */
export async function refuseTakenPorts(env: Env): Promise<void> {
  for (const [name, port] of [
    ['PORT', env.port],
    ['SITES_PORT', env.sitesPort],
  ] as const) {
    await listening(name, port, env, async () => {
      const probe = createServer();
      probe.listen(port, env.host);
      await once(probe, 'listening');
      probe.close();
      await once(probe, 'close');
    });
  }
}

/** Runs what listens, and turns the system's refusal into a sentence that names the variable. */
export async function listening(
  name: 'PORT' | 'SITES_PORT',
  port: number,
  env: Env,
  listen: () => Promise<void>,
): Promise<void> {
  try {
    await listen();
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'EADDRINUSE') {
      throw new StartError(
        EXIT_FAILED,
        `${name} is ${port}, where another program listens already; stop that one, or set ${name} to a free port.`,
        error,
      );
    }
    if (errno === 'EACCES') {
      throw new StartError(
        EXIT_FAILED,
        `${name} is ${port}, which this user may not listen on; set ${name} to a port above 1023.`,
        error,
      );
    }
    if (errno === 'EADDRNOTAVAIL' || errno === 'ENOTFOUND' || errno === 'EAI_AGAIN') {
      throw new StartError(
        EXIT_CONFIG,
        `HOST is "${env.host ?? ''}", which is no address of this machine; set it to one, or leave it unset.`,
        error,
      );
    }
    throw error;
  }
}
