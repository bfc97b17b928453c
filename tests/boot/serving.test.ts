import { expect, test } from 'vitest';
import { readEnv } from '../../server/boot/env/env.ts';
import { startServing } from '../../server/boot/serving.ts';
import { createShutdownStack } from '../../server/boot/shutdown-stack.ts';
import { createTestApp } from '../support/app.ts';
import { freePorts } from '../support/free-ports.ts';
import { get } from '../support/get.ts';
import { makeFolder } from '../support/start.ts';

test('sites are served before the app is', async () => {
  await using app = await createTestApp();
  await using folder = await makeFolder();
  const { port, sitesPort } = await freePorts();
  const env = readEnv({ PORT: String(port), SITES_PORT: String(sitesPort) });
  const stops = createShutdownStack(app.providers.log);
  const started: string[] = [];
  let answer: ReturnType<typeof get> | undefined;
  await startServing(
    app.providers,
    { env, webRoot: folder.path, worker: 'test', takesOverFrom: [], isServing: () => true },
    (what, stop) => {
      started.push(what);
      if (what === 'host') answer = get(sitesPort, `nobody.localhost:${sitesPort}`, '/');
      stops.push(what, stop);
    },
  );
  expect((await answer)?.status).toBe(404);
  await stops.stopAll();
  expect(started.indexOf('host')).toBeLessThan(started.indexOf('HTTP server'));
});
