import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LOCAL_ROOT_ID, LocalRootModel } from '../../../server/database/models/domains/local-root.ts';
import { createLocalAuthority } from '../../../server/domains/certificates/authority/local-ca.ts';
import { createRequest, makeKey, requireServable } from '../../../server/domains/certificates/authority/x509.ts';
import { createLocalRoots } from '../../../server/domains/certificates/local-root.ts';
import { createSecrets, newKeys } from '../../../server/lib/crypto/secrets.ts';
import { openAccount } from '../../support/acme.ts';
import { atFreePort } from '../../support/at-free-port.ts';
import { handshake } from '../../support/tls-visitor.ts';

const NAMES = ['harbour.test', '*.harbour.test'];

/** `open` starts an instance with a folder of its own, on the database and the keys of all. */
async function localAuthority() {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-authority-'));
  const secrets = createSecrets(newKeys());
  return {
    folder,
    open: (own = 'one') =>
      createLocalAuthority({ roots: createLocalRoots(join(folder, own)), secrets, now: () => new Date() }),
    async [Symbol.asyncDispose]() {
      await LocalRootModel.deleteOne({ _id: LOCAL_ROOT_ID });
      await rm(folder, { recursive: true, force: true });
    },
  };
}

test('a certificate of the local authority is trusted by whoever has its root, and by nobody else', async () => {
  await using local = await localAuthority();
  const authority = local.open();
  const call = await openAccount(authority);
  const { pem: key } = await makeKey();
  const url = await authority.order(call, { names: NAMES });
  const cert = await authority.finish(call, url, await createRequest(NAMES, key));
  requireServable(cert, key, NAMES);
  await using server = await atFreePort(createServer({ cert, key }, (_request, response) => response.end()));
  const { port } = server;
  const trusting = { rejectUnauthorized: true, ca: await authority.root() };
  for (const name of ['harbour.test', 'www.harbour.test']) (await handshake(port, name, trusting)).destroy();
  await expect(handshake(port, 'harbour.test', { rejectUnauthorized: true })).rejects.toThrow('UNABLE_TO_VERIFY');
  await expect(handshake(port, 'elsewhere.test', trusting)).rejects.toThrow('ERR_TLS_CERT_ALTNAME_INVALID');
});

test('all instances have one root, which outlives a restart, and its key is sealed', async () => {
  await using local = await localAuthority();
  const roots = await Promise.all(['one', 'two', 'two'].map((instance) => local.open(instance).root()));
  expect(new Set([...roots, await local.open('three').root()]).size).toBe(1);
  expect(new X509Certificate(roots[0] ?? '').ca).toBe(true);
  expect(JSON.stringify(await LocalRootModel.findById(LOCAL_ROOT_ID))).not.toContain('PRIVATE KEY');
});

test('a root that an instance has kept in its folder before stays the root', async () => {
  await using local = await localAuthority();
  const root = await local.open().root();
  const kept = await LocalRootModel.findOneAndDelete({ _id: LOCAL_ROOT_ID }).lean();
  await writeFile(join(local.folder, 'authority.json'), JSON.stringify(kept));
  expect(await local.open('.').root()).toBe(root);
  expect(await local.open('two').root()).toBe(root);
});

test('a certificate is not servable for another key or another name', async () => {
  await using local = await localAuthority();
  const authority = local.open();
  const call = await openAccount(authority);
  const { pem: key } = await makeKey();
  const url = await authority.order(call, { names: ['harbour.test'] });
  const chain = await authority.finish(call, url, await createRequest(['harbour.test'], key));
  const { pem: otherKey } = await makeKey();
  expect(() => requireServable(chain, otherKey, ['harbour.test'])).toThrow('for another key');
  expect(() => requireServable(chain, key, ['www.harbour.test'])).toThrow('not for www.harbour.test');
});
