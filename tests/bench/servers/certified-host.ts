import { connectMongo } from '../../../server/database/mongo.ts';
import { createSiteCertificates } from '../../../server/host/site-certificates.ts';
import { createSecrets, parseKeys } from '../../../server/lib/crypto/secrets.ts';
import { createTestHost } from '../../support/host.ts';
import { mongoUri, tellReady } from '../ready.ts';

/** The built-in host over TLS with the certificates of a database that was filled before. */
const [databaseName = '', keyText = ''] = process.argv.slice(2);
const keys = parseKeys(keyText);
if (keys === null) throw new Error('These are no keys.');
const secrets = createSecrets(keys);
let opened = 0;
const counting = {
  ...secrets,
  open: (...sealed: Parameters<typeof secrets.open>) => {
    opened += 1;
    return secrets.open(...sealed);
  },
};

await connectMongo(mongoUri(), { databaseName });
let certificates: ReturnType<typeof createSiteCertificates> | undefined;
const site = await createTestHost({
  changes: 'feed',
  tls: {
    port: 0,
    contextFor: (name) => certificates?.contextFor(name),
    has: (name) => certificates?.has(name) === true,
  },
});
certificates = createSiteCertificates({ ...site.providers, secrets: counting });
const heapBytes = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
};
const before = heapBytes();
const startedAt = performance.now();
await certificates.start();
const startMs = performance.now() - startedAt;
tellReady(site.host.tlsAddress?.port ?? 0, {
  startMs: String(startMs),
  startBytes: String(heapBytes() - before),
  opened: String(opened),
});
