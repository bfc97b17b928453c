import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { install, NETLIFY_COMMAND, VERCEL_CLIENT } from '../clients/install.ts';
import { bundlePrograms } from '../support/bundle-programs.ts';
import { get } from '../support/get.ts';
import { type Publisher, type Publishing, publisherBy, startPublisher } from '../support/publisher.ts';
import { startNetlify } from '../support/standins/netlify/index.ts';
import { newSite } from '../support/standins/netlify/state.ts';
import { type StandIn, TOKEN } from '../support/standins/stand-in.ts';
import { startVercel } from '../support/standins/vercel/index.ts';
import { type Pair, peakRssBytes, printRatio, unpin } from './harness.ts';

/**
 * Publishing to Netlify and to Vercel with Fairlead's adapters, and with the vendors' own tools: Netlify's command and
 * Vercel's client. Both are pointed at the same stand-in, which waits 50 ms before each answer, and the site has to be
 * seen there afterwards. The command's time includes its start, because its users wait for that. Fairlead's adapter
 * and the client run in processes that are there already, and the adapter knows the digests, as the product does from
 * the upload on, when it has stored the files: another process does that here.
 *
 * So memory is given twice. What publishing adds is what a machine pays for it that runs Fairlead anyway: of a process
 * that is there already the part above its idle, and of a command that starts for it the whole. The whole process is
 * the like for a machine that runs nothing else; ours has the adapters and the store in it, and not the rest of
 * Fairlead. There half of Vercel's client is not reached: Node 20 alone takes 42 MiB, 56 with the adapters loaded and
 * 81 when it has published 10,000 files, where the client peaks at 170 with them. Further publications let V8 enlarge its
 * young generation to 32 MiB, up to 117 in all; with half spaces of 4 MiB it would stay at 95.
 */
const WAIT_MS = 50;
const FILE_BYTES = 2_000;
const ROUNDS = 5;
const EVERY = 1e9;
/** Holding ten thousand files to the description would take longer than all else, and so would what a minute takes. */
const UNCHECKED = { description: null, limits: [] };
const MIB = 1024 ** 2;
const PEER = 'by-peer';
const OURS = 'a-site';
const PEAK_EVERY_MS = 10;

type Peer = {
  title: string;
  standIn: StandIn<unknown>;
  zone: string;
  /** Has these contents there and no others, and no site of ours: a new process makes its own. */
  hold(contents: readonly Buffer[]): void;
  start(root: string): Promise<Publisher>;
  goals: { first: string; again: string };
  /** The part of its memory that publishing adds to a machine. */
  adds: string;
};
type Site = { root: string; folder: string; contents: Buffer[] };

async function makeSite(files: number): Promise<Site> {
  const root = await mkdtemp(join(tmpdir(), 'fairlead-deploy-bench-'));
  const folder = join(root, '.vercel', 'output', 'static');
  await mkdir(join(folder, 'pages'), { recursive: true });
  await writeFile(join(root, '.vercel', 'output', 'config.json'), JSON.stringify({ version: 3 }));
  const contents: Buffer[] = [];
  for (let number = 1; number < files; number += 1) {
    const bytes = Buffer.alloc(FILE_BYTES, `<p>Page ${number}</p>\n`);
    contents.push(bytes);
    await writeFile(join(folder, 'pages', `${number}.html`), bytes);
  }
  await writeFile(join(folder, 'index.html'), 'first');
  return { root, folder, contents };
}

async function netlify(): Promise<Peer> {
  const standIn = await startNetlify({}, UNCHECKED);
  const site = newSite(PEER, 'simulated-team');
  standIn.state.sites.set(site.id, site);
  const command = join(await install(NETLIFY_COMMAND), 'netlify-cli', 'bin', 'run.js');
  return {
    title: "Netlify's command",
    standIn,
    zone: 'netlify.localhost',
    hold: (contents) => {
      const { sites, blobs } = standIn.state;
      for (const [id, { name }] of sites) if (name === OURS) sites.delete(id);
      blobs.clear();
      for (const bytes of contents) blobs.set(sha1Of(bytes), bytes);
    },
    start: async (root) => ({
      publish: () => runNetlify(command, root, standIn.apiUrl),
      [Symbol.asyncDispose]: async () => undefined,
    }),
    goals: { first: '0.25', again: '0.12' },
    adds: 'ours above idle, all of the command',
  };
}

async function runNetlify(command: string, root: string, apiUrl: string): Promise<Publishing> {
  const folder = join(root, '.vercel', 'output', 'static');
  const args = ['deploy', '--dir', folder, '--no-build', '--prod', '--json', '--site', PEER];
  const env = { PATH: process.env.PATH, CI: '1', HOME: root, NETLIFY_API_URL: apiUrl, NETLIFY_AUTH_TOKEN: TOKEN };
  const startedAt = performance.now();
  const child = spawn(process.execPath, [command, ...args], { cwd: root, env, stdio: 'ignore' });
  let peakBytes = 0;
  const watching = setInterval(() => {
    peakBytes = Math.max(peakBytes, peakRssBytes(child.pid ?? 0) ?? 0);
  }, PEAK_EVERY_MS);
  const [code] = await once(child, 'exit');
  clearInterval(watching);
  if (code !== 0) throw new Error(`Netlify's command ended with ${code}.`);
  // Nothing of it was there before.
  return { ms: performance.now() - startedAt, peakBytes: peakBytes || null, aboveIdleBytes: peakBytes || null };
}

async function vercel(): Promise<Peer> {
  const standIn = await startVercel(UNCHECKED);
  const installed = await install(VERCEL_CLIENT);
  return {
    title: "Vercel's client",
    standIn,
    zone: 'vercel.localhost',
    hold: (contents) => {
      const { projects, files } = standIn.state;
      for (const [id, { name }] of projects) if (name === OURS) projects.delete(id);
      files.clear();
      for (const bytes of contents) files.set(` ${sha1Of(bytes)}`, bytes);
    },
    start: (root) =>
      publisherBy(['tests/bench/servers/vercel-client.mjs', installed, standIn.apiUrl, root, TOKEN, PEER]),
    goals: { first: '1.0', again: '0.35' },
    adds: 'both above idle',
  };
}

function sha1Of(bytes: Buffer): string {
  return createHash('sha1').update(bytes).digest('hex');
}

type Seen = Publishing & { requests: number };

/** Publishes the entry page with these words and the rest as it is, and looks whether that is what visitors get. */
async function publishNow(peer: Peer, publisher: Publisher, site: Site, name: string, words: string): Promise<Seen> {
  const { standIn, zone } = peer;
  await writeFile(join(site.folder, 'index.html'), words);
  standIn.fail('any', { how: 'wait', ms: WAIT_MS }, EVERY);
  const before = standIn.requests.length;
  const publishing = await publisher.publish(['index.html']);
  const requests = standIn.requests.length - before;
  standIn.heal();
  const { text } = await get(standIn.port, `${name}.${zone}`, '/');
  if (text !== words) throw new Error(`${name} shows ${text.slice(0, 80)} and not ${words}.`);
  return { ...publishing, requests };
}

/**
 * Measures a publication of 1,000 files, none of which is there, by a new process each time, which remembers nothing.
 */
async function measureFirst(peer: Peer, files: number): Promise<void> {
  const site = await makeSite(files);
  const pairs: { ours: Seen; peer: Seen }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await using own = await startPublisher(idOf(peer), peer.standIn.apiUrl, site.folder, { isPatient: true });
    await using others = await peer.start(site.root);
    peer.hold([]);
    const ours = await publishNow(peer, own, site, OURS, `first of ours ${round}`);
    peer.hold([]);
    pairs.push({ ours, peer: await publishNow(peer, others, site, PEER, `first of theirs ${round}`) });
  }
  print(`first publish of ${files.toLocaleString('en')} files`, peer, pairs, peer.goals.first);
  await rm(site.root, { recursive: true });
}

/** Measures a publication of 10,000 files, of which one has changed since the previous one. */
async function measureAgain(peer: Peer, files: number): Promise<void> {
  const site = await makeSite(files);
  peer.hold(site.contents);
  await using own = await startPublisher(idOf(peer), peer.standIn.apiUrl, site.folder, { isPatient: true });
  await using others = await peer.start(site.root);
  for (const publisher of [own, others]) await publisher.publish(['index.html']);
  const pairs: { ours: Seen; peer: Seen }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const ours = await publishNow(peer, own, site, OURS, `again of ours ${round}`);
    pairs.push({ ours, peer: await publishNow(peer, others, site, PEER, `again of theirs ${round}`) });
  }
  print(`one changed file of ${files.toLocaleString('en')}`, peer, pairs, peer.goals.again);
  await rm(site.root, { recursive: true });
}

function idOf({ zone }: Peer): string {
  return zone.replace('.localhost', '');
}

function print(what: string, { title, adds }: Peer, pairs: readonly { ours: Seen; peer: Seen }[], goal: string): void {
  const name = `${what}, against ${title}`;
  const ratioOf = (read: (seen: Seen) => number): Pair[] =>
    pairs.map(({ ours, peer }) => ({ ours: read(ours), peer: read(peer) }));
  printRatio(
    `${name}, time`,
    ratioOf(({ ms }) => ms),
    { unit: 'ms', goal: `at most ${goal}` },
  );
  const added = ratioOf(({ aboveIdleBytes }) => (aboveIdleBytes ?? Number.NaN) / MIB);
  printRatio(`${name}, peak memory that it adds (${adds})`, added, { unit: 'MiB', goal: 'at most 0.5' });
  const peaks = ratioOf(({ peakBytes }) => (peakBytes ?? Number.NaN) / MIB);
  printRatio(`${name}, peak memory of the whole process`, peaks, { unit: 'MiB', goal: 'at most 0.5' });
  const [last] = pairs.slice(-1);
  console.log(`    requests: ours ${last?.ours.requests}, peer ${last?.peer.requests}`);
}

console.log(`Publishing to platforms that take ${WAIT_MS} ms for each answer`);
unpin();
process.env.TEST_PROGRAMS = resolve('test-results', 'bench-programs');
await bundlePrograms(process.env.TEST_PROGRAMS, [
  'tests/support/publishing-process.ts',
  'tests/support/storing-process.ts',
]);
for (const start of [netlify, vercel]) {
  const peer = await start();
  await measureFirst(peer, 1_000);
  await measureAgain(peer, 10_000);
  await peer.standIn[Symbol.asyncDispose]();
}
