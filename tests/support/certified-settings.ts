import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { DnsLab } from './dns-lab.ts';
import { freePort } from './free-ports.ts';
import type { Pebble } from './pebble.ts';

/**
 * Returns the settings by which the built product asks the name servers of this lab and this authority, which asks
 * them too.
 */
export async function certifiedSettings({
  lab,
  pebble,
  folder,
  sitesPort,
}: {
  lab: DnsLab;
  pebble: Pebble;
  /** Keeps the certificate of the authority's own address. */
  folder: { path: string };
  /** The port at which the authority looks for answers. */
  sitesPort: number;
}) {
  const caFile = join(folder.path, 'ca.pem');
  await writeFile(caFile, pebble.apiCa);
  return {
    ...{ SITES_PORT: String(sitesPort), SITES_TLS_PORT: String(await freePort()), SITES_ADDRESSES: '127.0.0.1' },
    ...{ ACME_CA_FILE: caFile, ACME_DIRECTORY_URL: pebble.directoryUrl, EGRESS_ALLOW: '127.0.0.0/8' },
    ...{ DNS_RESOLVERS: lab.dnsServer, DNS_AUTHORITY_PORT: String(lab.port) },
    MONGOMS_SYSTEM_BINARY: inject('mongodPath'),
  };
}
