import { basename } from 'node:path';
import { build } from 'vite';
import { PROGRAMS, sourceOf } from './program.ts';

/** Bundles programs into a folder as the product is bundled, with what they need of it; by default those of the tests. */
export async function bundlePrograms(
  outDir: string,
  sources: readonly string[] = PROGRAMS.map(sourceOf),
): Promise<void> {
  const input = Object.fromEntries(sources.map((source) => [basename(source, '.ts'), source]));
  await build({
    configFile: 'vite.config.ts',
    logLevel: 'warn',
    build: { ssr: true, outDir, sourcemap: false, rolldownOptions: { input } },
  });
}
