import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import type { Plugin } from 'vite';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

const here = fileURLToPath(new URL('.', import.meta.url));

/**
 * What is loaded together becomes one file: it compresses a third better than many small ones, and needs one request. A
 * part begins with these modules of ours and takes all that they import without waiting, libraries included, as far as no
 * part above it has it already.
 */
const PARTS: Record<string, readonly string[]> = {
  base: ['src/main.tsx', 'src/components/overlays/use-submit-once.ts', 'routers/schemas/platforms/ids.ts'],
  data: ['src/api/data-provider.tsx'],
  drop: [
    'src/features/deployments/create/quick-drop.tsx',
    'src/components/copy-button.tsx',
    'routers/schemas/platforms/list.ts',
  ],
  common: [
    'src/layouts/nav-list.tsx',
    'src/components/states/state-badge.tsx',
    'node_modules/lucide-react/dist/esm/icons/clock.mjs',
    'src/components/overlays/lazy-dialog.tsx',
    'src/components/overlays/use-focus-return.ts',
    'src/features/user/beta-badge.tsx',
    'routers/schemas/plan-table.ts',
    'routers/schemas/active-status.ts',
    'src/lib/coming-text.ts',
  ],
  // What menus and dialogs share: a page that has one of them must not load the others for it.
  layers: [
    'node_modules/@radix-ui/react-focus-scope/dist/index.mjs',
    'node_modules/@radix-ui/react-focus-guards/dist/index.mjs',
    'node_modules/react-remove-scroll/dist/es2015/Combination.js',
    'node_modules/aria-hidden/dist/es2015/index.js',
  ],
  sidebar: ['src/layouts/sidebar.tsx', 'src/components/page/page-header.tsx'],
  app: [
    'src/layouts/data-layout.tsx',
    'src/layouts/account-menu.tsx',
    'src/realtime/provider.tsx',
    'src/screens/dashboard.tsx',
  ],
};

/** Vite's own plugin that writes around each import(). */
const PRELOADING = 'native:import-analysis-build';

function parts() {
  const plugin: Plugin = {
    name: 'fairlead-parts',
    apply: 'build',
    enforce: 'pre',
    // Its calls fetch what a file imports beside the file; here that has mostly come with the page already, and the
    // calls would be a part of every first load.
    configResolved: ({ plugins }) => {
      const at = plugins.findIndex(({ name }) => name === PRELOADING);
      if (at === -1) throw new Error(`Vite has no plugin ${PRELOADING} any more.`);
      (plugins as Plugin[]).splice(at, 1);
    },
    // The guard imports the app without naming it in the page: without a hint the browser would ask for it late.
    transformIndexHtml: {
      order: 'post',
      handler: (html, { bundle }) =>
        Object.values(bundle ?? {})
          .filter((part) => part.type === 'chunk' && part.name === 'base' && !html.includes(part.fileName))
          .map(({ fileName }) => ({
            tag: 'link',
            attrs: { rel: 'modulepreload', crossorigin: true, href: `/${fileName}` },
          })),
    },
  };
  // Each takes what its modules import without waiting, of what no part above it has.
  const groups = Object.entries(PARTS).map(([name, roots], index, { length }) => ({
    name,
    test: (id: string) => roots.some((root) => id === `${here}${root}`),
    priority: length - index,
  }));
  return { plugin, groups };
}

const web = parts();

/**
 * V8 keeps the text of each file that it runs, and takes two bytes for each of its characters as soon as one of them is
 * beyond Latin-1: a few signs in a library doubled the whole. They are written as escapes.
 */
const ONE_BYTE_TEXT: Plugin = {
  name: 'fairlead-one-byte-text',
  generateBundle: (_, bundle) => {
    for (const file of Object.values(bundle)) {
      if (file.type === 'chunk') file.code = file.code.replace(/[\u0100-\uffff]/g, escaped);
    }
  },
};

/**
 * Express brings the characters of East Asia in a quarter of a megabyte, for bodies that our calls never have: JSON is
 * in UTF (npm: body-parser), and V8 would read them at each start.
 */
const NO_CHARACTER_TABLES: Plugin = {
  name: 'fairlead-no-character-tables',
  enforce: 'pre',
  load: (id) => (id.includes('/iconv-lite/encodings/tables/') ? '[]' : null),
};

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * No measure of speed: a test ends at these when something hangs. One that fails is tried once more, and is named as flaky
 * when it passes then (tests/support/run.ts).
 */
const IS_FULL = process.env.FAIRLEAD_FULL_COUNTS === '1';
const PATIENCE = {
  testTimeout: IS_FULL ? 1_800_000 : 60_000,
  hookTimeout: IS_FULL ? 300_000 : 90_000,
  expect: { poll: { timeout: 30_000 } },
  retry: 1,
};

/** On one MongoDB for the whole run, a database a worker. */
function onDatabase(name: string, include: string, exclude: string[] = []): TestProjectInlineConfiguration {
  return {
    extends: true,
    root: here,
    test: {
      name,
      environment: 'node',
      isolate: false,
      include: [include],
      exclude,
      globalSetup: [
        'tests/support/mongo.ts',
        'tests/support/name-server-programs.ts',
        'tests/support/pebble-program.ts',
      ],
      setupFiles: ['tests/support/database.ts'],
      ...PATIENCE,
    },
  };
}

/** What mocks a module, the session or the time of the app's start needs all modules anew; the others share a worker's. */
const MOCKING = [
  'stored-selections',
  'publisher',
  'feedback-prompt',
  'account-screens',
  'kept-mail',
  'flow-beside',
  'editor-draft',
].map((name) => `tests/src/${name}.test.{ts,tsx}`);

function onPage(
  name: string,
  files: Pick<TestProjectInlineConfiguration['test'] & object, 'isolate' | 'include' | 'exclude'>,
): TestProjectInlineConfiguration {
  return {
    extends: true,
    root: here,
    test: { name, environment: 'happy-dom', setupFiles: ['tests/support/page.ts'], ...files, ...PATIENCE },
  };
}

/** `npm test` runs node and dom, the gate architecture, gate, faults and attack as well, `npm run test:full` all. */
const PROJECTS: TestProjectInlineConfiguration[] = [
  onDatabase('node', 'tests/**/*.test.ts', [
    'tests/{src,faults}/**',
    'tests/attack/attack.test.ts',
    'tests/architecture/!(bundle).test.ts',
    'tests/**/*.{gate,full}.test.ts',
  ]),
  onDatabase('gate', 'tests/**/*.gate.test.ts'),
  onDatabase('full', 'tests/**/*.full.test.ts', ['tests/faults/**']),
  onPage('dom', { isolate: false, include: ['tests/src/**/*.test.{ts,tsx}'], exclude: MOCKING }),
  onPage('dom-mocking', { include: MOCKING }),
  {
    extends: true,
    root: here,
    // Of the sources alone, by `npm run check`, which has one worker parse them; the bundle has to be built first.
    test: {
      name: 'architecture',
      environment: 'node',
      isolate: false,
      include: ['tests/architecture/!(bundle).test.ts'],
      ...PATIENCE,
    },
  },
  {
    extends: true,
    root: here,
    // Real apps, each with a database of its own: they are killed, and they wait for each other.
    test: {
      name: 'faults',
      environment: 'node',
      isolate: false,
      include: ['tests/faults/**/*.test.ts'],
      exclude: IS_FULL ? [] : ['tests/faults/**/*.full.test.ts'],
      ...PATIENCE,
    },
  },
  {
    extends: true,
    root: here,
    test: { name: 'attack', environment: 'node', include: ['tests/attack/attack.test.ts'], ...PATIENCE },
  },
];

/** Hash of the sources that decide how the built-in host answers a file (server/publishing/publication/verification/verified-files.ts). */
function hostRules(): string {
  const hash = createHash('sha256').update(readFileSync(`${here}package-lock.json`));
  for (const folder of ['server/host', 'routers/schemas', 'routers/rules']) {
    const names = readdirSync(`${here}${folder}`, { recursive: true, encoding: 'utf8' }).sort();
    for (const name of names.filter((one) => one.endsWith('.ts')))
      hash.update(`\0${name}\0`).update(readFileSync(`${here}${folder}/${name}`));
  }
  return hash.digest('hex');
}

export default defineConfig(({ isSsrBuild }) => ({
  root: `${here}src`,
  // The router brings a copy of what React has had since its version 18.
  resolve: {
    alias: {
      'use-sync-external-store/shim/index.js': 'react',
      // The database driver brings the parser of addresses that Node has, with all of Unicode's names of domains.
      'whatwg-url': 'node:url',
    },
  },
  cacheDir: `${here}node_modules/.vite`,
  plugins: [react(), tailwindcss(), ...(isSsrBuild ? [ONE_BYTE_TEXT, NO_CHARACTER_TABLES] : [web.plugin])],
  define: {
    __FUNCTION_API_HOST__: JSON.stringify(process.env.FUNCTION_API_HOST ?? ''),
    __HOST_RULES__: JSON.stringify(hostRules()),
  },
  server: {
    // Only what the page may load: the dev server would hand out the whole folder above its root.
    fs: { allow: [`${here}src`, `${here}routers/schemas`, `${here}routers/rules`, `${here}node_modules`] },
    // src/api/*.ts have URLs below /api as well: only what is no module goes to the server.
    proxy: { '^/api/(?!.+\\.tsx?(?:$|\\?))': { target: `http://127.0.0.1:${process.env.PORT ?? 3000}`, ws: true } },
  },
  build: isSsrBuild
    ? {
        ssr: true,
        target: 'node20',
        outDir: `${here}dist/server`,
        emptyOutDir: true,
        copyPublicDir: false,
        sourcemap: true,
        rolldownOptions: {
          input: {
            main: `${here}server/boot/main.ts`,
            fairlead: `${here}server/cli/index.ts`,
            // Threads of their own (server/lib/thread/thread.ts).
            'zip-worker': `${here}server/store/zip/zip.worker.ts`,
            'inspection-worker': `${here}server/publishing/inspection/inspection.worker.ts`,
            'quick-look-worker': `${here}server/publishing/publication/verification/quick-look.worker.ts`,
          },
          // Comments for tools, and the names of variables, would each be a fifth of what Node reads at each start. Lines and
          // the names of functions stay, for whoever reads where an error came from.
          output: {
            comments: { legal: true, annotation: false, jsdoc: false },
            minify: { compress: false, mangle: { keepNames: true }, codegen: { removeWhitespace: false } },
          },
        },
      }
    : {
        outDir: `${here}dist/web`,
        emptyOutDir: true,
        manifest: true,
        // The content security policy allows no inline script and no data: module.
        assetsInlineLimit: 0,
        modulePreload: false,
        rolldownOptions: {
          // A schema that nobody parses with is built for nothing: with it zod stays out of the pages that have no form.
          // Radix names each of its functions by a call of `__name`, which would keep those that nobody uses.
          treeshake: { manualPureFunctions: ['z', '__name'] },
          output: {
            codeSplitting: { groups: web.groups },
            // The base lists all files of all screens: their names are bytes that nobody reads. A browser keeps files
            // for a year, and each name must differ from all of theirs: of 36 bits, two builds share one in a million.
            chunkFileNames: 'assets/[hash:7].js',
            hashCharacters: 'base36',
          },
        },
      },
  // Inlining everything is right for the server bundle only: under Vitest it would quadruple the import time.
  ...(isSsrBuild && { ssr: { noExternal: true, external: ['@node-rs/argon2'] } }),
  test: { projects: PROJECTS },
}));
