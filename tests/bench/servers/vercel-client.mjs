import { createRequire } from 'node:module';
import { join } from 'node:path';

/**
 * Publishes a folder that is built already with Vercel's own client: `node vercel-client.mjs {node_modules} {address of
 * the API} {folder} {token} {name}`. It says that it is ready, and after each message how long a publication took.
 */
const [, , installed, apiUrl, path, token, name] = process.argv;
const { createDeployment } = createRequire(join(installed, 'client.js'))('@vercel/client');

async function publish() {
  const startedAt = performance.now();
  const options = { token, path, apiUrl, prebuilt: true, vercelOutputDir: join(path, '.vercel', 'output') };
  const deployment = { name, target: 'production', projectSettings: { framework: null } };
  let last = '';
  for await (const { type, payload } of createDeployment(options, deployment)) {
    if (type === 'error') throw payload;
    last = type;
  }
  if (last !== 'alias-assigned') throw new Error(`It ended with ${last}.`);
  return performance.now() - startedAt;
}

process.on('message', async () => process.send({ ms: await publish() }));
process.once('disconnect', () => process.exit(0));
process.send({ ms: 0 });
