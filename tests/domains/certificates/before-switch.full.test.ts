import { expect, test } from 'vitest';
import { clientOf, openAccount, publishSite } from '../../support/api-account.ts';
import { certifiedSettings } from '../../support/certified-settings.ts';
import { CHALLENGE, FOREIGN, textsAt } from '../../support/dns-challenge-world.ts';
import { startDnsLab } from '../../support/dns-lab.ts';
import { freePort } from '../../support/free-ports.ts';
import { startPebble } from '../../support/pebble.ts';
import { faultyEntry, startRealApp } from '../../support/real-app.ts';
import { makeFolder } from '../../support/start.ts';
import { askHttp1 } from '../../support/tls-visitor.ts';

const NAME = 'harbour.test';
const ELSEWHERE = '203.0.113.9';
const PATIENCE = { timeout: 90_000, interval: 200 };
const BUILT = ['dist/server/main.js'];

test('a site that is live elsewhere has its certificate here before its records move, through a process that is killed', async () => {
  await using lab = await startDnsLab();
  const sitesPort = await freePort();
  await using pebble = await startPebble({ dnsServer: lab.dnsServer, httpPort: sitesPort });
  await using folder = await makeFolder();
  const settings = await certifiedSettings({ lab, pebble, folder, sitesPort });
  await using app = await startRealApp(settings, faultyEntry({ 'certificate:challenge-written': 'kill' }));
  const account = await openAccount(app.url, 'harbour');
  const { deploymentId } = await publishSite(account, 'harbour', { 'index.html': 'PAGE' });
  const client = clientOf(account);
  const fields = { url: lab.registry.apiUrl, apiKey: lab.registry.apiKey };
  await client.connections.connect.mutate({ provider: 'powerdns', fields });
  const { id: domainId, proof } = await client.domains.add.mutate({ deploymentId, name: NAME });
  await lab.registry.createZone(NAME, {
    ...{ [`${NAME} NS`]: ['ns.test.'], [`${NAME} A`]: [ELSEWHERE], [`www.${NAME} A`]: [ELSEWHERE] },
    ...{ [`${proof.name} TXT`]: [`"${proof.value}"`], [`${CHALLENGE} TXT`]: [`"${FOREIGN}"`] },
  });
  const challenge = () => textsAt(lab.registry, CHALLENGE);
  await expect.poll(challenge, PATIENCE).toHaveLength(2);
  await expect.poll(() => app.child.signalCode, PATIENCE).toBe('SIGKILL');
  Object.assign(app, { entry: BUILT });
  await app.restart();

  const stateOf = async () => (await client.certificates.list.query({ domainId })).items[0]?.state;
  await expect.poll(stateOf, PATIENCE).toBe('issued');
  await expect.poll(challenge, PATIENCE).toEqual([FOREIGN]);
  expect((await client.domains.get.query({ domainId })).state).toBe('pending_dns');
  const ca = await pebble.root();
  const visit = (name: string) =>
    askHttp1(Number(settings.SITES_TLS_PORT), name, '/', { ca, rejectUnauthorized: true }).catch(String);
  await expect.poll(() => visit(NAME), PATIENCE).toMatch(/PAGE$/);
  expect(await visit(`www.${NAME}`)).toContain(`Location: https://${NAME}`);
});
