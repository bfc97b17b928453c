import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PAGE_PORT = 5173;

/**
 * `npm run dev`: the app from its sources, and Vite's server in front with hot reload. PUBLIC_URL becomes the address
 * of Vite's server before the app reads it, so that the origin check and the links hold there too.
 */
async function main(): Promise<void> {
  const vite = await createServer({
    configFile: `${ROOT}vite.config.ts`,
    server: { host: '127.0.0.1', port: PAGE_PORT, strictPort: false },
  });
  await vite.listen();
  // Vite would end the process at SIGTERM before the app has stopped its database.
  process.removeAllListeners('SIGTERM');
  const address = vite.httpServer?.address();
  const port = typeof address === 'object' && address !== null ? address.port : PAGE_PORT;
  process.env.PUBLIC_URL = `http://localhost:${port}`;
  await import('../boot/main.ts');
}

main().catch((error: unknown) => {
  process.stderr.write(
    `The development server did not start: ${error instanceof Error ? error.message : String(error)}\n`,
  );
  process.exitCode = 1;
});
