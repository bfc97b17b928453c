import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Account, clientOf, confirmAddress, openAccount } from '../support/api-account.ts';
import { largeFile, smallFiles } from '../support/large-zip.ts';
import { type RealApp, startRealApp } from '../support/real-app.ts';
import { writeZip, type ZipPart } from '../support/zip-writer.ts';
import {
  cpuSeconds,
  fixed,
  forgetPeakRss,
  median,
  type Pair,
  peakRssBytes,
  printRatio,
  rssBytes,
  unpin,
} from './harness.ts';
import { mongoUri } from './ready.ts';

/**
 * Measures a ZIP that has arrived, until it is checked, stored, hashed and durable, against `unzip` and then
 * `sha256sum` of every file on the same disk, which wait for no disk. The time runs from the last byte of the request
 * to the answer; the whole request, with its receiving, is printed beside it. Both may use every core, and their CPU
 * time is printed too.
 */
const run = promisify(execFile);
const MB = 1_000_000;
const MIB = 1024 ** 2;

type Row = { name: string; goal: string; rounds: number; parts(seed: number): ZipPart[] };
const ROWS: readonly Row[] = [
  { name: '10,000 files, 100 MB', goal: 'at most 1.3', rounds: 7, parts: (seed) => smallFiles(10_000, 10_000, seed) },
  {
    name: 'one file of 500 MB',
    goal: 'at most 0.35',
    rounds: 7,
    parts: (seed) => [largeFile('film.txt', 500 * MB, seed)],
  },
];
/** Printed alone: what they cost in memory must not grow with what is in them. */
const MEMORY_ROWS: readonly Row[] = [
  { name: 'one file of 250 MB', goal: '', rounds: 1, parts: (seed) => [largeFile('half.txt', 250 * MB, seed)] },
  { name: '20,000 files, 200 MB', goal: '', rounds: 1, parts: (seed) => smallFiles(20_000, 10_000, seed) },
  { name: '20,000 files, 1 GB', goal: '', rounds: 1, parts: (seed) => smallFiles(20_000, 50_000, seed) },
];

type Bench = { app: RealApp; folder: string; name(): string };
type Upload = { account: Account; id: string };
type Zip = { path: string; sizeBytes: number; unpackedBytes: number };

/** Other content each time: what the store has already it would not write again. */
async function makeZip(folder: string, row: Row, seed: number): Promise<Zip> {
  const path = join(folder, `${seed}.zip`);
  const parts = row.parts(seed);
  await writeFile(path, writeZip(parts));
  const { size } = await stat(path);
  const unpackedBytes = parts.reduce((sum, part) => sum + (part.sizeBytes ?? Buffer.from(part.data ?? '').length), 0);
  return { path, sizeBytes: size, unpackedBytes };
}

/**
 * Opens an upload of a new account each time, because no release is made of it, and an account may have only a few
 * open at once.
 */
async function openUpload({ app, name }: Bench): Promise<Upload> {
  const account = await openAccount(app.url, name());
  await confirmAddress(account, app);
  return { account, id: (await clientOf(account).releases.prepare.mutate()).uploadId };
}

type Taken = { seconds: number; requestSeconds: number; cpu: number; digest: string };

async function sendOurs(bench: Bench, zip: Zip): Promise<Taken> {
  const upload = await openUpload(bench);
  const pid = bench.app.child.pid ?? 0;
  const cpuBefore = cpuSeconds(pid) ?? 0;
  const startedAt = performance.now();
  const { body, sentAt } = await post(upload, zip);
  const endedAt = performance.now();
  const { files }: { files: { sha256: string }[] } = JSON.parse(body);
  return {
    seconds: (endedAt - sentAt) / 1000,
    requestSeconds: (endedAt - startedAt) / 1000,
    cpu: (cpuSeconds(pid) ?? Number.NaN) - cpuBefore,
    digest: digestOf(files.map(({ sha256 }) => sha256)),
  };
}

/** The answer, and when the last byte had left. */
function post({ account, id }: Upload, zip: Zip): Promise<{ body: string; sentAt: number }> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${account.token}`,
      'content-type': 'application/zip',
      'content-length': zip.sizeBytes,
    };
    let sentAt = Number.NaN;
    const url = `${account.url}/api/uploads/${id}/zip`;
    const outgoing = request(url, { method: 'POST', headers, agent: false }, async (response) => {
      let body = '';
      for await (const chunk of response.setEncoding('utf8')) body += chunk;
      if (response.statusCode === 200) resolve({ body, sentAt });
      else reject(new Error(`The ZIP was answered ${response.statusCode}: ${body.slice(0, 300)}`));
    });
    outgoing.on('error', reject);
    outgoing.once('finish', () => {
      sentAt = performance.now();
    });
    createReadStream(zip.path, { highWaterMark: MIB }).pipe(outgoing);
  });
}

/** The hashes of all files, whatever their order. */
function digestOf(hashes: readonly string[]): string {
  return createHash('sha256')
    .update([...hashes].sort().join())
    .digest('hex');
}

async function sendPeer(bench: Bench, zip: Zip): Promise<Pick<Taken, 'seconds' | 'cpu' | 'digest'>> {
  const target = join(bench.folder, 'unpacked');
  await mkdir(target);
  const sums = `find '${target}' -type f -print0 | xargs -0 sha256sum`;
  const startedAt = performance.now();
  // bash tells the CPU time of all that it has run.
  const { stdout, stderr } = await inShell(`unzip -q '${zip.path}' -d '${target}' && ${sums} && times >&2`);
  const seconds = (performance.now() - startedAt) / 1000;
  await rm(target, { recursive: true });
  const lines = stdout.trimEnd().split('\n');
  return { seconds, cpu: childTimes(stderr), digest: digestOf(lines.map((line) => line.slice(0, 64))) };
}

/** The second line of `times` is that of the children: `0m1.250s 0m0.120s`. */
function childTimes(text: string): number {
  const [, line = ''] = text.trim().split('\n');
  return [...line.matchAll(/(\d+)m([\d.]+)s/g)].reduce((sum, [, minutes, seconds]) => {
    return sum + Number(minutes) * 60 + Number(seconds);
  }, 0);
}

function inShell(command: string): Promise<{ stdout: string; stderr: string }> {
  return run('bash', ['-c', command], { maxBuffer: 64 * MIB });
}

/** Interleaved, A B A B; every round has an archive of its own. */
async function compare(bench: Bench, row: Row): Promise<void> {
  const rounds: { ours: Taken; peer: Awaited<ReturnType<typeof sendPeer>>; aboveIdle: number }[] = [];
  const pid = bench.app.child.pid ?? 0;
  for (let round = 0; round <= row.rounds; round += 1) {
    const zip = await makeZip(bench.folder, row, round + row.name.length * 100);
    const idle = rssBytes(pid) ?? Number.NaN;
    forgetPeakRss(pid);
    const ours = await sendOurs(bench, zip);
    const aboveIdle = ((peakRssBytes(pid) ?? Number.NaN) - idle) / MIB;
    const peer = await sendPeer(bench, zip);
    await rm(zip.path);
    if (ours.digest !== peer.digest) throw new Error('The files that are stored are not those that unzip gives.');
    // The first one warms both.
    if (round > 0) rounds.push({ ours, peer, aboveIdle });
  }
  const pairs = rounds.map(({ ours, peer }): Pair => ({ ours: ours.seconds, peer: peer.seconds }));
  printRatio(row.name, pairs, { unit: 's', goal: row.goal });
  const request = median(rounds.map(({ ours, peer }) => ours.requestSeconds / peer.seconds));
  const cpu = median(rounds.map(({ ours, peer }) => ours.cpu / peer.cpu));
  const aboveIdle = Math.max(...rounds.map((round) => round.aboveIdle));
  console.log(`    with the receiving of the request: ${fixed(request)}; CPU time, all in: ${fixed(cpu)}`);
  console.log(`    peak memory above idle: ${aboveIdle.toFixed(0)} MiB; goal at most 143 (150 MB)`);
}

async function measureMemory(bench: Bench, row: Row): Promise<void> {
  const pid = bench.app.child.pid ?? 0;
  const zip = await makeZip(bench.folder, row, 90_000 + row.name.length);
  const idle = rssBytes(pid);
  forgetPeakRss(pid);
  const { requestSeconds } = await sendOurs(bench, zip);
  const peak = peakRssBytes(pid);
  await rm(zip.path);
  const above = peak === null || idle === null ? 'unknown' : `${((peak - idle) / MIB).toFixed(0)} MiB`;
  console.log(
    `  ${row.name}: ${(zip.sizeBytes / MB).toFixed(0)} MB sent, ${(zip.unpackedBytes / MB).toFixed(0)} MB stored in ${requestSeconds.toFixed(2)} s; peak memory above idle ${above}`,
  );
}

async function isInstalled(command: string): Promise<boolean> {
  return inShell(`command -v ${command}`).then(
    () => true,
    () => false,
  );
}

console.log('ZIP, checked, stored and hashed, against unzip then sha256sum of every file on the same disk');
unpin();
const missing = (
  await Promise.all(['unzip', 'sha256sum'].map(async (name) => ((await isInstalled(name)) ? '' : name)))
).join('');
const folder = await mkdtemp(join(tmpdir(), 'fairlead-zip-bench-'));
const uri = mongoUri().replace('/?', `/zip${process.pid}?`);
const app = await startRealApp({ MONGODB_URI: uri, DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'error' });
try {
  const { bavail, bsize } = await statfs(folder);
  console.log(`  ${((bavail * bsize) / 1e9).toFixed(0)} GB free below ${tmpdir()}`);
  if (missing !== '') console.log(`  ${missing} is not installed (Debian: apt install unzip coreutils): no peer`);
  let accounts = 0;
  const name = (): string => {
    accounts += 1;
    return `bench ${accounts}`;
  };
  const bench = { app, folder, name };
  for (const row of ROWS) {
    if (missing === '') await compare(bench, row);
    else await measureMemory(bench, row);
  }
  for (const row of MEMORY_ROWS) await measureMemory(bench, row);
} finally {
  await app[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
}
