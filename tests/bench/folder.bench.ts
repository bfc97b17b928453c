import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from '@playwright/test';
import { DISCLAIMER_SEEN } from '../../routers/schemas/disclaimer.ts';
import { openAccount } from '../support/api-account.ts';
import { CHROMIUM_ARGS, findChromium } from '../support/chromium.ts';
import { freePort } from '../support/free-ports.ts';
import { startRealApp } from '../support/real-app.ts';
import { type SiteFiles, writeSite } from '../support/sites.ts';
import { writeZip } from '../support/zip-writer.ts';
import { cpuSeconds, fixed, type Pair, printRatio, unpin } from './harness.ts';
import { mongoUri } from './ready.ts';

/**
 * A folder of 10,000 small files, none of which the server has, sent by a real browser: from the press of Publish to the
 * request that makes a release of them. The peer is the same files as one ZIP, sent by the same browser. Both go through
 * a proxy that keeps what passes for half of the delay, each way. Fewer files by BENCH_FILES.
 */
const FILES = Number(process.env.BENCH_FILES ?? 10_000);
const DELAYS_MS = [0, 50] as const;
const ROUNDS = 3;
const PIECE_BYTES = 4 * 1024 ** 2;
const FILES_A_REQUEST = 1_000;
const SEND_MAX_MS = 240_000;

type Proxy = { port: number; delayMs: number } & AsyncDisposable;

/** Passes everything on to the app, later by half of the delay. */
async function startProxy(port: number, target: number): Promise<Proxy> {
  const proxy = { port, delayMs: 0 };
  const sockets = new Set<Socket>();
  const passOn = (from: Socket, to: Socket): void => {
    sockets.add(from);
    const later = (pass: () => void) => setTimeout(pass, proxy.delayMs / 2);
    from.on('data', (chunk) => later(() => to.write(chunk)));
    from.on('end', () => later(() => to.end()));
    from.on('error', () => to.destroy());
    from.on('close', () => sockets.delete(from));
  };
  const server = createServer((client) => {
    const app = connect(target, '127.0.0.1');
    client.setNoDelay();
    app.setNoDelay();
    passOn(client, app);
    passOn(app, client);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return Object.assign(proxy, {
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

/** About 10 kB each, none like another, nor like one of another round: what an account has, the store has. */
function makeSite(round: string): SiteFiles {
  const site: SiteFiles = { 'index.html': `<h1>${round}</h1>` };
  for (let number = 1; number < FILES; number += 1) {
    site[`pages/${number}.html`] = `<h1>${round}, ${number}</h1>${`<p>Tie rope ${number} well.</p>\n`.repeat(350)}`;
  }
  return site;
}

type Sent = { seconds: number; readSeconds: number; cpu: number; requests: number };
type Sender = { browser: Browser; url: string; appPid: number };
type Field = 'Folder to publish' | 'ZIP to publish';

/** A new account in a browser of its own sends what is at this path. */
async function send({ browser, url, appPid }: Sender, field: Field, path: string): Promise<Sent> {
  const { username, password } = await openAccount(url, `bench ${Date.now().toString(36)}`);
  const context = await browser.newContext({ baseURL: url });
  try {
    await context.addCookies([{ name: DISCLAIMER_SEEN, value: 'true', url }]);
    await context.request.post('/api/login', { data: { username, password } });
    const page = await context.newPage();
    page.setDefaultTimeout(SEND_MAX_MS);
    const requestsAt: number[] = [];
    page.on('request', (request) => {
      if (/\/api\/uploads\/\w+\/(?:files|zip)/.test(request.url())) requestsAt.push(performance.now());
    });
    await page.goto('/new-deployment');
    await page.getByLabel(field).setInputFiles(path);
    const button = page.getByRole('button', { name: 'Publish', exact: true });
    await button.click({ trial: true });
    const asked = page.waitForRequest('**/api/trpc/releases.create*');
    const cpuBefore = cpuSeconds(appPid) ?? Number.NaN;
    const startedAt = performance.now();
    await button.click();
    await asked;
    return {
      seconds: (performance.now() - startedAt) / 1000,
      readSeconds: ((requestsAt[0] ?? Number.NaN) - startedAt) / 1000,
      cpu: (cpuSeconds(appPid) ?? Number.NaN) - cpuBefore,
      requests: requestsAt.length,
    };
  } finally {
    await context.close();
  }
}

async function sendBoth(sender: Sender, root: string, round: string): Promise<Pair> {
  const folder = await writeSite(join(root, 'folder'), makeSite(`${round}, in a folder`));
  const ours = await send(sender, 'Folder to publish', folder);
  await rm(folder, { recursive: true });
  const site = Object.entries(makeSite(`${round}, in a ZIP`));
  const zip = join(root, 'site.zip');
  await writeFile(zip, writeZip(site.map(([name, data]) => ({ name, data, method: 8 }))));
  const peer = await send(sender, 'ZIP to publish', zip);
  const bytes = site.reduce((sum, [, data]) => sum + data.length, 0);
  const most = Math.ceil(bytes / PIECE_BYTES) + Math.ceil(FILES / FILES_A_REQUEST);
  const { seconds, readSeconds, requests } = ours;
  console.log(
    `  ${round}: folder ${fixed(seconds)} s, ${fixed(readSeconds)} s of them reading and listing, in ${requests} requests (goal at most ${most}); ZIP ${fixed(peer.seconds)} s in ${peer.requests}; CPU of the app ${fixed(ours.cpu)} and ${fixed(peer.cpu)} s`,
  );
  return { ours: ours.seconds, peer: peer.seconds };
}

console.log(`Sending a folder of ${FILES.toLocaleString('en')} files from a browser, and the same as one ZIP`);
unpin();
const root = await mkdtemp(join(tmpdir(), 'fairlead-folder-bench-'));
const [port, publicPort] = [await freePort(), await freePort()];
await using proxy = await startProxy(publicPort, port);
const url = `http://localhost:${publicPort}`;
const app = await startRealApp({
  PORT: String(port),
  PUBLIC_URL: url,
  MONGODB_URI: mongoUri().replace('/?', `/folder${process.pid}?`),
  DATA_DIR: join(root, 'data'),
  LOG_LEVEL: 'error',
  // As `npm start` sets it.
  UV_THREADPOOL_SIZE: '16',
});
// As people have it: with its optimising compiler, which the tests do without.
const args = CHROMIUM_ARGS.filter((argument) => !argument.startsWith('--js-flags'));
const browser = await chromium.launch({ executablePath: await findChromium(), args });
try {
  for (const delayMs of DELAYS_MS) {
    proxy.delayMs = delayMs;
    const pairs: Pair[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      pairs.push(
        await sendBoth({ browser, url, appPid: app.child.pid ?? 0 }, root, `${delayMs} ms of delay, round ${round}`),
      );
    }
    printRatio(`a folder against the same files as one ZIP, ${delayMs} ms of delay`, pairs, {
      unit: 's',
      goal: 'at most 2.5',
    });
  }
} finally {
  await browser.close();
  await app[Symbol.asyncDispose]();
  await rm(root, { recursive: true, force: true });
}
