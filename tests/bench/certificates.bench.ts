import { connect } from 'node:tls';
import mongoose from 'mongoose';
import { buildIndexes, connectMongo } from '../../server/database/mongo.ts';
import { createSecrets, newKeys } from '../../server/lib/crypto/secrets.ts';
import { storeCertificates } from './certified-names.ts';
import { fixed, percentile, rssBytes, type Served, startServer } from './harness.ts';
import { mongoUri } from './ready.ts';

/** Measures the built-in host with a certificate for each of many names: what the start reads, memory, and handshakes. */
const NAMES = 10_000;
const FEW = 10;
const AT_ONCE = 8;
/** Fewer than the host keeps at once. */
const VISITED = 1_000;
/** On a quiet machine the longest part takes half a minute; on a busy one the benchmark ends all the same. */
const PART_MAX_MS = 240_000;
const MIB = 1024 * 1024;
const REFUSED = 'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE';

/** Milliseconds of a handshake on a connection of its own, from SYN to Finished; no session is taken up again. */
function handshake(port: number, servername: string, isKnown = true): Promise<number> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, servername, rejectUnauthorized: false });
    const end = () => {
      socket.destroy();
      resolve(performance.now() - startedAt);
    };
    socket.once('secureConnect', () => (isKnown ? end() : reject(new Error(`${servername} has no certificate.`))));
    socket.once('error', (error: NodeJS.ErrnoException) =>
      !isKnown && error.code === REFUSED ? end() : reject(error),
    );
  });
}

type Visit = { from: number; count: number; atOnce: number; isKnown?: boolean };

/** Returns how many names there was time for. */
async function visit({ port }: Served, what: string, { from, count, atOnce, isKnown = true }: Visit): Promise<number> {
  const queue = Array.from({ length: count }, (_, index) => from + index).values();
  const times: number[] = [];
  const startedAt = performance.now();
  const run = async () => {
    for (const index of queue) {
      if (performance.now() - startedAt > PART_MAX_MS) return;
      const name = isKnown ? `${index}.bench.test` : `${index}.unknown.test`;
      times.push(await handshake(port, name, isKnown));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, run));
  const perSecond = times.length / ((performance.now() - startedAt) / 1_000);
  const which = times.length < count ? `${what}, the first ${times.length}` : what;
  console.log(
    `  ${which}: median ${fixed(percentile(times, 0.5))} ms, p99 ${fixed(percentile(times, 0.99))} ms, ${Math.round(perSecond)} a second with ${atOnce} at once`,
  );
  return times.length;
}

function printMemory({ pid }: Served, when: string, before: number): void {
  const bytes = rssBytes(pid);
  if (bytes === null) return;
  console.log(`  memory ${when}: ${fixed(bytes / MIB)} MB, ${fixed((bytes - before) / MIB)} MB above the start`);
}

async function startWith(count: number): Promise<Served> {
  const databaseName = `bench-names-${count}`;
  const keys = newKeys();
  await connectMongo(mongoUri(), { databaseName });
  await buildIndexes();
  await storeCertificates(createSecrets(keys), count);
  await mongoose.disconnect();
  const args = [databaseName, JSON.stringify(keys)];
  const served = await startServer('tests/bench/servers/certified-host.ts', args);
  const { startMs, startBytes, opened } = served.facts;
  if (opened !== '0') throw new Error(`The start has opened ${opened} keys.`);
  console.log(
    `  start with ${count} names: ${fixed(Number(startMs))} ms, ${fixed(Number(startBytes) / MIB)} MB of heap, no key opened`,
  );
  return served;
}

console.log(`The built-in host over TLS with ${NAMES} names: one core each, P-256, TLS 1.3`);
await (await startWith(FEW)).stop();
const server = await startWith(NAMES);
try {
  const atStart = rssBytes(server.pid) ?? 0;
  await visit(server, 'first handshakes of names', { from: 0, count: VISITED, atOnce: 1 });
  await visit(server, 'the same names again', { from: 0, count: VISITED, atOnce: 1 });
  const some = await visit(server, 'the same names again', { from: 0, count: VISITED, atOnce: AT_ONCE });
  printMemory(server, `with ${some} names visited`, atStart);
  const all = await visit(server, 'handshakes of all names', { from: 0, count: NAMES, atOnce: AT_ONCE });
  printMemory(server, `with ${all} names visited`, atStart);
  await visit(server, 'names that have no certificate', { from: 0, count: VISITED, atOnce: AT_ONCE, isKnown: false });
} finally {
  await server.stop();
}
