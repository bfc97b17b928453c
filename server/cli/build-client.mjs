import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';

/**
 * Writes the typed client, `fairlead/client`: one file of JavaScript and one of declarations, into the given folder
 * (dist/client). Everything that is not ours stays an import: @trpc/client, superjson and ws in the code, @trpc/* in
 * the types.
 */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const folder = process.argv[2] ?? 'dist/client';

/** Cuts the server's context out of the declarations: the types of procedures name it, but no caller sees it. */
const withoutServer = {
  name: 'without-server',
  load: {
    order: 'pre',
    filter: { id: /[\\/]server[\\/]context\.d\.ts$/ },
    handler: () =>
      'export type ServiceContext = object;\nexport type AccountContext = object;\nexport type Actor = object;\n',
  },
};

await build({
  cwd: ROOT,
  input: { client: 'routers/client.ts' },
  platform: 'neutral',
  external: /^[^./]/,
  plugins: [withoutServer, dts({ tsconfig: 'tsconfig.json' })],
  output: { dir: resolve(ROOT, folder), format: 'esm' },
  logLevel: 'warn',
  checks: { pluginTimings: false },
});
