import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { build } from 'vite';
import { brotliKb, readWebManifest, scriptsOf, WEB_ENTRY } from '../support/web-build.ts';
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
    return await brotliKb(outDir, scriptsOf(await readWebManifest(outDir), [WEB_ENTRY]));
  } finally {
    await rm(outDir, { recursive: true, force: true });
  }
}

const webRoot = 'dist/web';
const manifest = await readWebManifest(webRoot);
const shell = [WEB_ENTRY, ...(manifest[WEB_ENTRY]?.dynamicImports ?? [])];
const referenceKb = await buildReference();
console.log(
  `JavaScript of the first route, brotli 11, against a reference app built by the same Vite (${fixed(referenceKb)} KB)`,
);
for (const { name, roots, budgetKb, ofReference } of ROUTES) {
  const kb = await brotliKb(webRoot, scriptsOf(manifest, [...shell, ...roots]));
  console.log(
    `  ${name}: ${fixed(kb)} KB, budget ${budgetKb} KB, ${fixed(kb / referenceKb)} of the reference; goal at most ${fixed(ofReference)}`,
  );
}
