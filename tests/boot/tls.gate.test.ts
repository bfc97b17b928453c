import { once } from 'node:events';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { clientOf, openAccount, publishSite } from '../support/api-account.ts';
import { selfSigned } from '../support/certificate.ts';
import { freePort } from '../support/free-ports.ts';
import { makeFolder } from '../support/start.ts';
import { ask, startSupervised } from '../support/supervised-app.ts';
import { askHttp1, askHttp2, handshake, openHttp2 } from '../support/tls-visitor.ts';

const DAY_MS = 24 * 60 * 60_000;

function newPair() {
  return selfSigned(new Date(Date.now() - DAY_MS), new Date(Date.now() + 60 * DAY_MS), '*.localhost');
}

async function writePair(folder: string, { cert, key }: ReturnType<typeof newPair>) {
  const files = { SITES_CERT_FILE: join(folder, 'cert.pem'), SITES_KEY_FILE: join(folder, 'key.pem') };
  for (const [path, text] of [
    [files.SITES_CERT_FILE, cert],
    [files.SITES_KEY_FILE, key],
  ] as const) {
    await writeFile(`${path}.new`, text, { mode: 0o600 });
    await rename(`${path}.new`, path);
  }
  return files;
}

async function served(port: number, host: string): Promise<string> {
  const socket = await handshake(port, host);
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

test('an installation publishes and serves over TLS, and takes a new certificate', async () => {
  await using folder = await makeFolder();
  const files = await writePair(folder.path, newPair());
  const port = await freePort();
  const env = { ...files, SITES_TLS_PORT: String(port), MONGOMS_SYSTEM_BINARY: inject('mongodPath') };
  await using app = await startSupervised(env);
  const account = await openAccount(app.url, 'harbour');
  // Published means seen live, at the address that is shown.
  const { siteUrl } = await publishSite(account, 'harbour', { 'index.html': 'PAGE' });
  expect(siteUrl).toBe(`https://harbour.localhost:${port}`);
  const host = new URL(siteUrl).hostname;
  expect((await ask(`http://${host}:${app.sitesPort}/a?b`)).headers.location).toBe(`${siteUrl}/a?b`);
  expect(await askHttp1(port, host, '/')).toContain('PAGE');

  // Domains get their certificates from the app's own authority where no other is named.
  expect((await clientOf(account).certificates.list.query({})).localRoot).toContain('BEGIN CERTIFICATE');

  const before = await served(port, host);
  await writePair(folder.path, newPair());
  await expect.poll(() => served(port, host)).not.toBe(before);
  const renewed = await openHttp2(port, host);
  expect((await askHttp2(renewed, '/')).text).toBe('PAGE');
  renewed.destroy();
  const exited = once(app.child, 'exit');
  app.child.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
});
