import { once } from 'node:events';
import { createServer } from 'node:net';
import { errnoOf } from '../lib/durable-file.ts';
import { EXIT_CONFIG, EXIT_FAILED, StartError } from '../lib/start-error.ts';
import type { Env } from './env/env.ts';

/** Checks the ports before anything is started, so that a second start is refused without touching the database. */
export async function refuseTakenPorts(env: Env): Promise<void> {
  for (const { port } of portsOf(env)) {
    await listening(env, async () => {
      const probe = createServer();
      probe.listen(port, env.host);
      await once(probe, 'listening');
      probe.close();
      await once(probe, 'close');
    });
  }
}

function portsOf({ port, sitesPort, tlsPort, isTlsPortGiven }: Env): { name: string; port: number }[] {
  const ports = [
    { name: 'PORT', port },
    { name: 'SITES_PORT', port: sitesPort },
  ];
  // Nobody asked for the usual port, so it is only used when it is free.
  return tlsPort === undefined || !isTlsPortGiven ? ports : [...ports, { name: 'SITES_TLS_PORT', port: tlsPort }];
}

/** Runs `listen` and turns the system's refusal into a sentence that names the variable of the port. */
export async function listening(env: Env, listen: () => Promise<void>): Promise<void> {
  try {
    await listen();
  } catch (error) {
    const errno = errnoOf(error);
    const named = portsOf(env).find(({ port }) => error instanceof Error && 'port' in error && error.port === port);
    if (errno === 'EADDRINUSE' && named !== undefined) {
      throw new StartError(
        EXIT_FAILED,
        `${named.name} is ${named.port}, where another program already listens; stop that one, or set ${named.name} to a free port.`,
        error,
      );
    }
    if (errno === 'EACCES' && named !== undefined) {
      throw new StartError(
        EXIT_FAILED,
        `${named.name} is ${named.port}, which this user may not listen on; set ${named.name} to a port above 1023.`,
        error,
      );
    }
    if (errno === 'EADDRNOTAVAIL' || errno === 'ENOTFOUND' || errno === 'EAI_AGAIN') {
      throw new StartError(
        EXIT_CONFIG,
        `HOST is "${env.host ?? ''}", which is not an address of this machine; set it to one that is, or leave it unset.`,
        error,
      );
    }
    throw error;
  }
}
