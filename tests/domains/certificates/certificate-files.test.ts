import { mkdir, mkdtemp, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createCertificateFiles } from '../../../server/domains/certificates/authority/certificate-files.ts';
import type { Log } from '../../../server/lib/log.ts';
import { atFreePort } from '../../support/at-free-port.ts';
import { type Certificate, selfSigned } from '../../support/certificate.ts';
import { handshake } from '../../support/tls-visitor.ts';

const DAY_MS = 24 * 60 * 60_000;
const DOMAIN = 'sites.example';
const NAME = `harbour.${DOMAIN}`;

function pairFor(name = `*.${DOMAIN}`, days = 60): Certificate {
  return selfSigned(new Date(Date.now() - DAY_MS), new Date(Date.now() + days * DAY_MS), name);
}

async function createFiles(pair: Certificate) {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-certificate-'));
  const files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
  const lines: string[] = [];
  const write =
    (level: keyof Log) =>
    (message: string, fields: Record<string, unknown> = {}): void =>
      void lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
  const log: Log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  const certificate = createCertificateFiles({ files, sitesDomain: DOMAIN, log, now: () => new Date(), pollMs: 10 });
  const put = async ({ cert, key }: Partial<Certificate>): Promise<void> => {
    for (const [path, text] of [
      [files.certFile, cert],
      [files.keyFile, key],
    ] as const) {
      if (text === undefined) continue;
      await writeFile(`${path}.new`, text);
      await rename(`${path}.new`, path);
    }
  };
  await put(pair);
  return {
    folder,
    files,
    lines,
    certificate,
    put,
    async [Symbol.asyncDispose]() {
      certificate.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A listener that serves what the files give, and the certificate that a new handshake gets from it. */
async function createListener(contextFor: ReturnType<typeof createCertificateFiles>['contextFor']) {
  const server = createServer({ SNICallback: (name, done) => done(null, contextFor(name)) }, (_request, response) => {
    response.end('ANSWER');
  });
  const listening = await atFreePort(server);
  return {
    ...listening,
    async served(): Promise<string> {
      const socket = await handshake(listening.port, NAME);
      const { raw } = socket.getPeerCertificate();
      socket.destroy();
      return pemOf(raw);
    },
  };
}

function pemOf(raw: Buffer): string {
  return `-----BEGIN CERTIFICATE-----\n${raw.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
}

test('a new pair is served to new handshakes, and an open connection goes on', async () => {
  const [before, after] = [pairFor(), pairFor()];
  await using files = await createFiles(before);
  await files.certificate.start();
  await using listener = await createListener(files.certificate.contextFor);
  const open = await handshake(listener.port, NAME);
  expect(await listener.served()).toBe(before.cert);
  await files.put(after);
  await vi.waitFor(async () => expect(await listener.served()).toBe(after.cert));
  let answer = '';
  open.on('data', (piece: Buffer) => {
    answer += piece.toString();
  });
  open.write(`GET / HTTP/1.1\r\nHost: ${NAME}\r\n\r\n`);
  await vi.waitFor(() => expect(answer).toContain('ANSWER'));
  open.destroy();
});

test('a pair that does not fit together changes nothing and is told, and its second half completes it', async () => {
  const [before, after] = [pairFor(), pairFor()];
  await using files = await createFiles(before);
  await files.certificate.start();
  await using listener = await createListener(files.certificate.contextFor);
  await files.put({ cert: after.cert });
  await vi.waitFor(() => expect(files.lines.join('\n')).toContain('it is not the key of the certificate'));
  expect(files.lines.at(-1)).toMatch(
    /^error The new certificate of the sites cannot be used; the previous one stays in use/,
  );
  expect(await listener.served()).toBe(before.cert);
  await files.put({ key: after.key });
  await vi.waitFor(async () => expect(await listener.served()).toBe(after.cert));
  expect(files.lines.join('\n')).not.toContain('PRIVATE KEY');
});

test('files that are gone for a moment, or lead elsewhere by a link, are followed', async () => {
  const [before, after] = [pairFor(), pairFor()];
  await using files = await createFiles(before);
  await files.certificate.start();
  await using listener = await createListener(files.certificate.contextFor);
  await unlink(files.files.certFile);
  await vi.waitFor(() => expect(files.lines.join('\n')).toContain('it cannot be read'));
  expect(await listener.served()).toBe(before.cert);
  await writeFile(join(files.folder, 'renewed.pem'), after.cert);
  await symlink(join(files.folder, 'renewed.pem'), files.files.certFile);
  await files.put({ key: after.key });
  await vi.waitFor(async () => expect(await listener.served()).toBe(after.cert));
});

test('a pair in a folder that a link is turned to, as Kubernetes renews secrets, is followed', async () => {
  const [before, after] = [pairFor(), pairFor()];
  await using files = await createFiles(before);
  const { folder } = files;
  const mount = async (name: string, pair: { cert: string; key: string }): Promise<void> => {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, 'tls.crt'), pair.cert);
    await writeFile(join(folder, name, 'tls.key'), pair.key);
    await symlink(name, join(folder, '..data_tmp'));
    await rename(join(folder, '..data_tmp'), join(folder, '..data'));
  };
  for (const [path, name] of [
    [files.files.certFile, 'tls.crt'],
    [files.files.keyFile, 'tls.key'],
  ] as const) {
    await unlink(path);
    await symlink(join('..data', name), path);
  }
  await mount('..2026_a', before);
  await files.certificate.start();
  await using listener = await createListener(files.certificate.contextFor);
  expect(await listener.served()).toBe(before.cert);
  await mount('..2026_b', after);
  await vi.waitFor(async () => expect(await listener.served()).toBe(after.cert));
});

test('only names of sites get the certificate, in any case of letters', async () => {
  await using files = await createFiles(pairFor());
  await files.certificate.start();
  const { contextFor } = files.certificate;
  expect([NAME, NAME.toUpperCase(), `r1--${NAME}`].map((name) => contextFor(name) !== undefined)).toEqual([
    true,
    true,
    true,
  ]);
  for (const name of [DOMAIN, 'app.example', `a.b.${DOMAIN}`, '', '*']) expect(contextFor(name)).toBeUndefined();
});

const OTHER = pairFor();

test.each([
  ['SITES_CERT_FILE', { cert: 'nothing' }, 'it holds no certificate in PEM'],
  ['SITES_CERT_FILE', pairFor('harbour.sites.example'), 'its certificate is not for *.sites.example'],
  ['SITES_KEY_FILE', { key: 'nothing' }, 'it holds no private key in PEM, or one that needs a passphrase'],
  ['SITES_KEY_FILE', { key: OTHER.key }, 'it is not the key of the certificate in SITES_CERT_FILE'],
] as const)('a start with a wrong %s says what is wrong with it', async (variable, wrong, fault) => {
  await using files = await createFiles({ ...pairFor(), ...wrong });
  const path = variable === 'SITES_CERT_FILE' ? files.files.certFile : files.files.keyFile;
  await expect(files.certificate.start()).rejects.toThrow(`${variable} is "${path}", but ${fault}`);
});

test.each([
  [-2, 'error The certificate of the sites has expired'],
  [5, 'warn The certificate of the sites expires soon'],
  [60, 'info The certificate of the sites is in use'],
])('a certificate of %i days is told as such', async (days, line) => {
  await using files = await createFiles(
    selfSigned(new Date(Date.now() - 90 * DAY_MS), new Date(Date.now() + days * DAY_MS), `*.${DOMAIN}`),
  );
  await files.certificate.start();
  expect(files.lines).toEqual([expect.stringContaining(line)]);
});
