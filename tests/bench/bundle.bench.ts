import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { build } from 'vite';
import { FIRST_LOADS } from '../support/first-loads.ts';
import { brotliKb, firstLoadKb, readWebManifest, scriptsOf, WEB_ENTRY } from '../support/web-build.ts';
import { fixed } from './harness.ts';

/** Performance facts, section 8: JavaScript of the first route, brotli 11, summed from the manifest. Exact, one round. */
const GOALS = [
  { route: '/', ofReference: 0.75 },
  { route: '/login and /register', ofReference: 0.75 },
  { route: '/dashboard', ofReference: 1 },
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
const referenceKb = await buildReference();
console.log(
  `JavaScript of the first route, brotli 11, against a reference app built by the same Vite (${fixed(referenceKb)} KB)`,
);
for (const { route, ofReference } of GOALS) {
  const load = FIRST_LOADS.find((candidate) => candidate.route === route);
  if (load === undefined) throw new Error(`No first load is that of ${route}.`);
  const kb = await firstLoadKb(webRoot, manifest, load.roots);
  console.log(
    `  ${route}: ${fixed(kb)} KB, budget ${load.budgetKb} KB, ${fixed(kb / referenceKb)} of the reference; goal at most ${fixed(ofReference)}`,
  );
}
