import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Different ports that were free a moment ago, for the app and its sites: held together before they are let go. */
export async function freePorts(): Promise<{ port: number; sitesPort: number }> {
  const servers = [createServer(), createServer()] as const;
  await Promise.all(servers.map((server) => once(server.listen(0, '127.0.0.1'), 'listening')));
  const [port, sitesPort] = [portOf(servers[0].address()), portOf(servers[1].address())];
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return { port, sitesPort };
}

export async function freePort(): Promise<number> {
  return (await freePorts()).port;
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('The system gave no port.');
  return address.port;
}
