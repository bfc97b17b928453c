import { build } from 'vite';
import { PROGRAMS, sourceOf } from './program.ts';

/** Bundles the programs of the tests into the folder that `program` takes them from, with what they need of the product. */
export async function bundlePrograms(
  outDir: string,
  names: readonly (typeof PROGRAMS)[number][] = PROGRAMS,
): Promise<void> {
  const input = Object.fromEntries(names.map((name) => [name, sourceOf(name)]));
  await build({
    configFile: 'vite.config.ts',
    logLevel: 'warn',
    build: { ssr: true, outDir, sourcemap: false, rolldownOptions: { input } },
  });
}
