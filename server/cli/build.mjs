import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const VITE = 'node_modules/vite/bin/vite.js';
const CLIENT_BUILD = 'server/cli/build-client.mjs';
const COMMON = ['package-lock.json', 'vite.config.ts', 'tsconfig.json', 'server/cli/build.mjs'];

/**
 * The command of each part builds it into a folder of its own. The stamp beside it holds the hash of its sources: times
 * would lie after a checkout or a copy.
 * @type {{ name: string, sources: string[], entry: string, program?: string, command: (folder: string) => string[] }[]}
 */
const PARTS = [
  {
    name: 'web',
    sources: [...COMMON, 'src', 'routers/schemas', 'routers/rules'],
    entry: 'index.html',
    command: (folder) => [VITE, 'build', '--logLevel', 'warn', '--outDir', folder],
  },
  {
    name: 'server',
    sources: [...COMMON, 'server', 'routers'],
    entry: 'main.js',
    program: 'fairlead.js',
    command: (folder) => [VITE, 'build', '--ssr', '--logLevel', 'warn', '--outDir', folder],
  },
  {
    name: 'client',
    sources: [...COMMON, 'routers', 'server', CLIENT_BUILD],
    entry: 'client.js',
    command: (folder) => [CLIENT_BUILD, folder],
  },
];

/**
 * Builds every part that is missing or was built from other sources. Throws an Error with the tool's message.
 * @param {{ isForced: boolean, isCheckOnly: boolean }} options
 */
export async function build({ isForced, isCheckOnly }) {
  if (!existsSync(join(ROOT, 'node_modules'))) throw new Error('The dependencies are not installed: run npm ci first.');
  if (isCheckOnly) return;
  const due = PARTS.filter((part) => existsSync(join(ROOT, CLIENT_BUILD)) || part.name !== 'client')
    .map((part) => ({ ...part, stamp: stampOf(part.sources) }))
    .filter((part) => isForced || !isFresh(part));
  if (due.length === 0) return;
  if (!existsSync(join(ROOT, VITE))) {
    throw new Error(
      `dist/${due[0].name} is missing or old, and the tools that build it are not installed: run npm ci.`,
    );
  }
  const startedAt = Date.now();
  process.stdout.write(`Building ${due.map((part) => part.name).join(', ')} …\n`);
  await mkdir(join(ROOT, 'dist'), { recursive: true });
  const results = await Promise.allSettled(due.map(buildPart));
  const failure = results.find((result) => result.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
  process.stdout.write(`Built in ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`);
}

/** Builds into a folder of its own first, so that a failed or parallel build never leaves a half-built one. */
async function buildPart(part) {
  const made = join(ROOT, 'dist', `.${part.name}-${randomBytes(4).toString('hex')}`);
  const final = join(ROOT, 'dist', part.name);
  try {
    await run(process.execPath, part.command(made), {
      cwd: ROOT,
      maxBuffer: 64 * 1024 * 1024,
      env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' },
    });
    // npm makes the file executable when npx first links it, but not again after a later build.
    if (part.program !== undefined) await chmod(join(made, part.program), 0o755);
    await rm(stampFile(part), { force: true });
    await rm(final, { recursive: true, force: true });
    await rename(made, final);
    await writeFile(stampFile(part), part.stamp);
  } catch (error) {
    const printed = [error.stdout, error.stderr].filter(Boolean).join('\n').trim();
    throw new Error(`Building dist/${part.name} failed: ${printed || error.message}`);
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

function isFresh(part) {
  const stamp = stampFile(part);
  if (!existsSync(join(ROOT, 'dist', part.name, part.entry)) || !existsSync(stamp)) return false;
  return readFileSync(stamp, 'utf8') === part.stamp;
}

function stampFile(part) {
  return join(ROOT, 'dist', `.${part.name}-stamp`);
}

/** Hashes the names and contents of everything under these paths, and the one variable that is built in. */
function stampOf(sources) {
  const hash = createHash('sha256')
    .update(process.env.FUNCTION_API_HOST || '')
    .update('\0');
  for (const file of sources.flatMap(filesUnder)) {
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(ROOT, file)))
      .update('\0');
  }
  return hash.digest('hex');
}

function filesUnder(path) {
  const absolute = join(ROOT, path);
  if (!existsSync(absolute)) return [];
  let entries;
  try {
    entries = readdirSync(absolute, { withFileTypes: true });
  } catch {
    return [path];
  }
  return entries
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => (entry.isDirectory() ? filesUnder(`${path}/${entry.name}`) : [`${path}/${entry.name}`]));
}
