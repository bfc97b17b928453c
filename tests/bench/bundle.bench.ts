import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { build } from 'vite';
import { fixed } from './harness.ts';

/** Performance facts, section 8: JavaScript of the first route, brotli 11, summed from the manifest. Exact, one round. */
const ROUTES = [
  { name: '/ (home)', roots: ['screens/home.tsx'], budgetKb: 100, ofReference: 0.75 },
  { name: '/login (auth)', roots: ['screens/auth.tsx'], budgetKb: 104, ofReference: 0.75 },
  {
    name: '/dashboard',
    roots: [
      'screens/dashboard.tsx',
      'layouts/subscribed-only.tsx',
      'layouts/account-menu.tsx',
      'realtime/provider.tsx',
    ],
    budgetKb: 140,
    ofReference: 1,
  },
] as const;
/** The page's own entry, and what its guard loads at once for every route. */
const ENTRY = 'index.html';

type Chunk = { file: string; imports?: string[]; dynamicImports?: string[] };
type ViteManifest = Record<string, Chunk>;

async function readManifest(folder: string): Promise<ViteManifest> {
  return JSON.parse(await readFile(join(folder, '.vite', 'manifest.json'), 'utf8'));
}

/** The chunks that these need before they run. */
function closure(manifest: ViteManifest, roots: readonly string[]): Set<string> {
  const files = new Set<string>();
  const seen = new Set<string>();
  const visit = (name: string): void => {
    const chunk = manifest[name];
    if (chunk === undefined) throw new Error(`The build has no ${name}.`);
    if (seen.has(name)) return;
    seen.add(name);
    if (chunk.file.endsWith('.js')) files.add(chunk.file);
    for (const imported of chunk.imports ?? []) visit(imported);
  };
  for (const root of roots) visit(root);
  return files;
}

async function brotliKb(folder: string, files: Iterable<string>): Promise<number> {
  let bytes = 0;
  for (const file of files) {
    const text = await readFile(join(folder, file));
    bytes += brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length;
  }
  return bytes / 1024;
}

async function buildReference(): Promise<number> {
  const outDir = await mkdtemp(join(tmpdir(), 'fairlead-reference-'));
  try {
    await build({
      configFile: false,
      root: fileURLToPath(new URL('./reference/', import.meta.url)),
      logLevel: 'error',
      plugins: [react()],
      build: { outDir, emptyOutDir: true, manifest: true, modulePreload: { polyfill: false } },
    });
    return await brotliKb(outDir, closure(await readManifest(outDir), ['index.html']));
  } finally {
    await rm(outDir, { recursive: true, force: true });
  }
}

const webRoot = 'dist/web';
const manifest = await readManifest(webRoot);
const shell = [ENTRY, ...(manifest[ENTRY]?.dynamicImports ?? [])];
const referenceKb = await buildReference();
console.log(
  `JavaScript of the first route, brotli 11, against a reference app built by the same Vite (${fixed(referenceKb)} KB)`,
);
for (const { name, roots, budgetKb, ofReference } of ROUTES) {
  const kb = await brotliKb(webRoot, closure(manifest, [...shell, ...roots]));
  console.log(
    `  ${name}: ${fixed(kb)} KB, budget ${budgetKb} KB, ${fixed(kb / referenceKb)} of the reference; goal at most ${fixed(ofReference)}`,
  );
}
