import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

const here = fileURLToPath(new URL('.', import.meta.url));

const LIBRARIES_OF_EVERY_PAGE =
  /node_modules\/(react|react-dom|scheduler|react-router|cookie|get-nonce|@radix-ui\/react-(slot|compose-refs))\//;
/** Of every page with data; the WebSocket link is fetched when a subscription starts. */
const LIBRARIES_OF_DATA =
  /node_modules\/(@tanstack|@trpc\/(react-query|client|server)|superjson|copy-anything|is-what)\//;
const STARTED_LATER = /@trpc.*(wsLink|\/index\.mjs)/;
/** Small, and of most pages: each as a file of its own would weigh twice as much. */
const SMALL_OF_MOST_PAGES = /\/src\/(lib\/later|components\/page)\.tsx?$|\/lucide-react\/dist\/esm\/icons\/check\.mjs$/;

/**
 * What every page needs becomes one file, which compresses better than forty small ones and needs one request: the
 * libraries above, the small ones, and those of our modules that `main.tsx` imports without waiting.
 */
function basePart() {
  const own = new Set<string>();
  const collect = (id: string, importsOf: (id: string) => readonly string[]): void => {
    if (own.has(id) || id.includes('node_modules')) return;
    own.add(id);
    for (const imported of importsOf(id)) collect(imported, importsOf);
  };
  const plugin: Plugin = {
    name: 'fairlead-base-part',
    apply: 'build',
    buildEnd() {
      collect(`${here}src/main.tsx`, (id) => this.getModuleInfo(id)?.importedIds ?? []);
    },
    // The guard imports the app without naming it in the page: without a hint the browser would ask for it late.
    transformIndexHtml: {
      order: 'post',
      handler: (html, { bundle }) =>
        Object.values(bundle ?? {})
          .filter(
            (part) =>
              part.type === 'chunk' && (part.name === 'main' || part.name === 'base') && !html.includes(part.fileName),
          )
          .map(({ fileName }) => ({
            tag: 'link',
            attrs: { rel: 'modulepreload', crossorigin: true, href: `/${fileName}` },
          })),
    },
  };
  return {
    plugin,
    groups: [
      // Apart: the guard needs it, and must stand when the base does not.
      { name: 'preload', test: /preload-helper|rolldown.runtime/, priority: 1 },
      {
        name: 'base',
        test: (id: string) => own.has(id) || LIBRARIES_OF_EVERY_PAGE.test(id) || SMALL_OF_MOST_PAGES.test(id),
      },
      { name: 'data', test: (id: string) => LIBRARIES_OF_DATA.test(id) && !STARTED_LATER.test(id) },
    ],
  };
}

const base = basePart();

/** No measure of speed: on a busy machine a test takes as long as it takes, and ends at these when something hangs. */
const PATIENCE = { testTimeout: 120_000, hookTimeout: 120_000, expect: { poll: { timeout: 30_000 } } };

export default defineConfig(({ isSsrBuild }) => ({
  root: `${here}src`,
  cacheDir: `${here}node_modules/.vite`,
  plugins: [react(), tailwindcss(), ...(isSsrBuild ? [] : [base.plugin])],
  define: { __FUNCTION_API_HOST__: JSON.stringify(process.env.FUNCTION_API_HOST ?? '') },
  server: {
    // Only what the page may load: the dev server would hand out the whole folder above its root.
    fs: { allow: [`${here}src`, `${here}routers/schemas`, `${here}node_modules`] },
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
            main: `${here}server/main.ts`,
            fairlead: `${here}server/cli/index.ts`,
            // A thread of its own (server/artifacts/zip-thread.ts).
            'zip-worker': `${here}server/artifacts/zip.worker.ts`,
          },
          // Comments for tools would be a fifth of what Node reads at each start.
          output: { comments: { legal: true, annotation: false, jsdoc: false } },
        },
      }
    : {
        outDir: `${here}dist/web`,
        emptyOutDir: true,
        manifest: true,
        // The content security policy allows no inline script and no data: module.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        rolldownOptions: {
          // A schema that nobody parses with is built for nothing: with it zod stays out of the pages that have no form.
          treeshake: { manualPureFunctions: ['z'] },
          output: {
            // What every page needs in one file: it compresses better than forty, and needs one request.
            codeSplitting: { groups: base.groups },
            // That file lists all parts of all screens: their names are a kilobyte that nobody reads. Of their hashes 42
            // bits are enough to tell any two builds apart.
            chunkFileNames: 'assets/[hash:7].js',
          },
        },
      },
  // Inlining everything is right for the server bundle only: under Vitest it would quadruple the import time.
  ...(isSsrBuild && { ssr: { noExternal: true, external: ['@node-rs/argon2', 'mongodb-memory-server'] } }),
  test: {
    projects: [
      {
        extends: true,
        root: here,
        test: {
          name: 'node',
          environment: 'node',
          isolate: false,
          include: ['tests/**/*.test.ts'],
          exclude: ['tests/src/**', 'tests/faults/**'],
          globalSetup: ['tests/support/mongo.ts'],
          setupFiles: ['tests/support/database.ts'],
          ...PATIENCE,
        },
      },
      {
        extends: true,
        root: here,
        test: { name: 'dom', environment: 'happy-dom', include: ['tests/src/**/*.test.{ts,tsx}'], ...PATIENCE },
      },
      {
        extends: true,
        root: here,
        // Real apps, each with a database of its own: they are killed, and they wait for each other.
        test: {
          name: 'faults',
          environment: 'node',
          include: ['tests/faults/**/*.test.ts'],
          ...PATIENCE,
          testTimeout: 300_000,
        },
      },
    ],
  },
}));
