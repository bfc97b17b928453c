import { expect, test } from 'vitest';
import { clientOf, openAccount, publishSite } from '../../support/api-account.ts';
import { certifiedSettings } from '../../support/certified-settings.ts';
import { startDnsLab } from '../../support/dns-lab.ts';
import { freePort } from '../../support/free-ports.ts';
import { get } from '../../support/get.ts';
import { startPebble } from '../../support/pebble.ts';
import { startRealApp } from '../../support/real-app.ts';
import { makeFolder } from '../../support/start.ts';
import { askHttp1 } from '../../support/tls-visitor.ts';

const NAME = 'harbour.test';
const PATIENCE = { timeout: 60_000, interval: 200 };

test('a name that is typed ends as a page over TLS, by real DNS and a real authority, though nobody asks for a check', async () => {
  await using lab = await startDnsLab();
  const sitesPort = await freePort();
  await using pebble = await startPebble({ dnsServer: lab.dnsServer, httpPort: sitesPort });
  await using folder = await makeFolder();
  const settings = await certifiedSettings({ lab, pebble, folder, sitesPort });
  await using app = await startRealApp(settings);
  const account = await openAccount(app.url, 'harbour');
  const { deploymentId } = await publishSite(account, 'harbour', { 'index.html': 'PAGE' });
  const client = clientOf(account);
  const { proof } = await client.domains.add.mutate({ deploymentId, name: NAME });
  await lab.registry.createZone(NAME, {
    [`${NAME} NS`]: ['ns.test.'],
    [`${NAME} A`]: ['127.0.0.1'],
    [`${proof.name} TXT`]: [`"${proof.value}"`],
  });
  const rightAt = performance.now();
  const trusting = { ca: await pebble.root(), rejectUnauthorized: true };
  const visit = () => askHttp1(Number(settings.SITES_TLS_PORT), NAME, '/', trusting).catch(String);
  await expect.poll(visit, PATIENCE).toMatch(/PAGE$/);
  const seconds = (performance.now() - rightAt) / 1_000;
  // No more than 10 s are wanted, of which half is the pace of the checks (tests/domains/jobs/check-domain.test.ts).
  process.stdout.write(`Served ${seconds.toFixed(1)} s after its records were right at all name servers\n`);
  const inClear = await get(sitesPort, NAME, '/');
  expect([inClear.status, inClear.headers.location]).toEqual([308, `https://${NAME}:${settings.SITES_TLS_PORT}/`]);
});
