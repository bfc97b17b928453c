import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

const here = fileURLToPath(new URL('.', import.meta.url));

export default defineConfig(({ isSsrBuild }) => ({
  root: `${here}src`,
  cacheDir: `${here}node_modules/.vite`,
  plugins: [react(), tailwindcss()],
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
        rolldownOptions: { input: { main: `${here}server/main.ts`, fairlead: `${here}server/cli/index.ts` } },
      }
    : {
        outDir: `${here}dist/web`,
        emptyOutDir: true,
        manifest: true,
        // The content security policy allows no inline script and no data: module.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
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
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        root: here,
        test: { name: 'dom', environment: 'happy-dom', include: ['tests/src/**/*.test.{ts,tsx}'] },
      },
    ],
  },
}));
