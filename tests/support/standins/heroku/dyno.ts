import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { extract } from 'tar-stream';
import { freePort } from '../../free-ports.ts';

/** A web process of an app, as its archive makes it: the command of its Procfile, with `PORT`. */
export type Dyno = { port: number; stop(): Promise<void> };

const START_LOOKS = 400;
const LOOK_PAUSE_MS = 25;

/** The files of a source archive. Throws what is wrong with it, as the platform's builds would print it. */
export async function unpack(archive: Buffer): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  const reader = extract();
  reader.end(gunzipSync(archive));
  for await (const entry of reader) {
    const { name, type, pax } = entry.header;
    if (pax && Object.keys(pax).length > 0) throw new Error(`tar: Ignoring unknown extended header keyword in ${name}`);
    if (type !== 'file') throw new Error(`tar: ${name}: no plain file`);
    const pieces: Uint8Array[] = [];
    for await (const piece of entry) if (piece instanceof Uint8Array) pieces.push(piece);
    files.set(name, Buffer.concat(pieces));
  }
  return files;
}

/** Preloaded, it lets a process that is told to end wait for its visitors for a moment instead of ten seconds. */
export const SHORT_PATIENCE = `data:text/javascript,${encodeURIComponent(
  'const later = setTimeout; globalThis.setTimeout = (act, ms) => later(act, ms === 10_000 ? 100 : ms);',
)}`;

/** `preload`: a module that the process loads before its own. */
export async function startDyno(archive: Buffer, preload?: string): Promise<Dyno> {
  const files = await unpack(archive);
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-dyno-'));
  const folders = new Set([...files.keys()].map((name) => dirname(join(folder, name))));
  for (const one of folders) mkdirSync(one, { recursive: true });
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
  const [program = '', ...args] = commandOf(files)?.split(' ') ?? [];
  const port = await freePort();
  const preloaded = preload === undefined ? args : ['--import', preload, ...args];
  const child = spawn(program === 'node' ? process.execPath : program, preloaded, {
    cwd: folder,
    env: { PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  await listening(port);
  return {
    port,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Returns the command for `web` in the Procfile at the top. */
export function commandOf(files: ReadonlyMap<string, Buffer>): string | null {
  return /^web: *(.+)$/m.exec(files.get('Procfile')?.toString() ?? '')?.[1] ?? null;
}

async function listening(port: number): Promise<void> {
  for (let look = 0; look < START_LOOKS; look += 1) {
    const socket = connect(port, '127.0.0.1');
    const isThere = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isThere) return;
    await delay(LOOK_PAUSE_MS);
  }
  throw new Error('Web process failed to bind to $PORT within 60 seconds of launch');
}
