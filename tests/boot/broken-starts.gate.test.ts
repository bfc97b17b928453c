import { once } from 'node:events';
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { expect, inject, test } from 'vitest';
import { openDataFolder } from '../../server/boot/data-folder.ts';
import { readEnv } from '../../server/boot/env/env.ts';
import { claimInstallation } from '../../server/boot/installation.ts';
import { createLifeCycle } from '../../server/boot/life-cycle.ts';
import { nodeFault } from '../../server/cli/node-version.mjs';
import { launchMongod } from '../../server/database/embedded/mongod-process.ts';
import { INSTALLATION_ID, InstallationModel } from '../../server/database/models/installation.ts';
import { MigrationModel } from '../../server/database/models/migration.ts';
import { newKeys } from '../../server/lib/crypto/secrets.ts';
import { type Log, redactSecrets } from '../../server/lib/log.ts';
import { StartError } from '../../server/lib/start-error.ts';
import { selfSigned } from '../support/certificate.ts';
import { freePort, freePorts } from '../support/free-ports.ts';
import { IS_FULL } from '../support/size.ts';
import { type Ended, makeFolder, startUntilItEnds } from '../support/start.ts';
import { withoutDatabase } from '../support/without-database.ts';

const SILENT: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** One sentence that names the thing, the exit code, and nothing that only a programmer understands. */
function expectRefusal(ended: Ended, exitCode: number, sentence: RegExp): void {
  expect(ended.stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(ended.stderr).toMatch(/^Fairlead did not start: .+\.\n$/);
  expect(ended.stderr).toMatch(sentence);
  expect(`${ended.stderr}${ended.stdout}`).not.toMatch(/^\s+at /m);
  expect(ended.exitCode).toBe(exitCode);
}

/** Returns the file's own database, by its address: a start that gets that far finds what the test has put there. */
function ownDatabase(): string {
  const url = new URL(inject('mongoUri'));
  url.pathname = `/${mongoose.connection.name}`;
  return url.href;
}

async function portVariables(): Promise<{ PORT: string; SITES_PORT: string }> {
  const { port, sitesPort } = await freePorts();
  return { PORT: String(port), SITES_PORT: String(sitesPort) };
}

/**
 * Returns how a start ends within this process, as `main` tells it; its connection is the one of the file's own
 * database.
 */
async function startHere(environment: Record<string, string>): Promise<Ended> {
  return withoutDatabase(async () => {
    try {
      const app = createLifeCycle({ env: readEnv(environment), log: SILENT, webRoot: '' });
      await app.start();
      await app.stop();
      throw new Error('It started.');
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      const stderr = `Fairlead did not start: ${redactSecrets(error.message)}\n`;
      return { exitCode: error.exitCode, stdout: '', stderr };
    }
  });
}

/** Outside the full size one start of each exit code is a process of its own: what it says is the same here. */
const start = IS_FULL ? startUntilItEnds : startHere;

const WRONG_VALUES: [Record<string, string>, RegExp][] = [
  [{ PORT: 'web' }, /PORT is "web", but it must be a port number from 1 to 65535/],
  [{ PORT: '3000', SITES_PORT: '3000' }, /SITES_PORT is "3000", but PORT and SITES_PORT must differ/],
  [{ PUBLIC_URL: 'example.com' }, /PUBLIC_URL is "example\.com", but it must be http:\/\/ or https:\/\//],
  [
    { PUBLIC_URL: 'https://app.example.com', SITES_DOMAIN: 'sites.example.com' },
    /SITES_DOMAIN is "sites\.example\.com", but .+ share the domain example\.com/,
  ],
  [{ TRUST_PROXY: '-1' }, /TRUST_PROXY is "-1", but it must be a whole number from 0 to 10/],
  [{ ACCESS_TOKEN_SECONDS: '15m' }, /ACCESS_TOKEN_SECONDS is "15m", but it must be a whole number/],
  [{ LOG_LEVEL: 'verbose' }, /LOG_LEVEL is "verbose", but it must be one of debug, info, warn, error/],
  [
    { ARTIFACTS_URL: 'gridfs://other' },
    /ARTIFACTS_URL is "gridfs:\/\/other", but it must be file: with an absolute path/,
  ],
  [
    { FAIRLEAD_KEYS: '{}' },
    /FAIRLEAD_KEYS is set to a value that is not shown, but it must be the JSON of a keys\.json/,
  ],
  [
    { MONGODB_URI: 'localhost:27017' },
    /MONGODB_URI is set to a value that is not shown, but it must begin with mongodb:\/\//,
  ],
  [
    { SMTP_URL: 'http://user:hunter2@mail.example.com' },
    /SMTP_URL is set to a value that is not shown, but it must be smtp:\/\/ or smtps:\/\/ with a host/,
  ],
  [
    { ACME_DIRECTORY_URL: 'http://acme.example.com/directory' },
    /ACME_DIRECTORY_URL is ".+", but it must be the https:\/\/ address of an ACME directory/,
  ],
];

test.each(WRONG_VALUES)(
  '%o: a wrong value names the variable, the value and what would be right',
  async (environment, sentence) => {
    const ended = await (environment.SMTP_URL === undefined ? start : startUntilItEnds)(environment);
    expectRefusal(ended, 78, sentence);
    expect(ended.stderr).not.toContain('hunter2');
  },
);

test('a port that another program listens on', async () => {
  await using folder = await makeFolder();
  const ports = await portVariables();
  const taken = createServer().listen(Number(ports.SITES_PORT), '127.0.0.1');
  await once(taken, 'listening');
  const ended = await startUntilItEnds({ ...ports, DATA_DIR: join(folder.path, 'data') });
  taken.close();
  expectRefusal(
    ended,
    1,
    new RegExp(
      `SITES_PORT is ${ports.SITES_PORT}, where another program already listens; stop that one, or set SITES_PORT to a free port`,
    ),
  );
  // Nothing was begun that would have to be ended.
  expect(await readdir(folder.path)).toEqual([]);
});

test('an address that is not of this machine', async () => {
  const ended = await start({ ...(await portVariables()), HOST: '192.0.2.1' });
  expectRefusal(
    ended,
    78,
    /HOST is "192\.0\.2\.1", which is not an address of this machine; set it to one that is, or leave it unset/,
  );
});

test('a data folder that is a file', async () => {
  await using folder = await makeFolder();
  const path = join(folder.path, 'data');
  await writeFile(path, '');
  const ended = await start({ ...(await portVariables()), DATA_DIR: path });
  expectRefusal(
    ended,
    1,
    /DATA_DIR is ".+\/data", which cannot be written to \(it is not a folder\); let this user write to it, or set DATA_DIR/,
  );
});

test('a data folder where nothing can be made', async () => {
  const ended = await start({ ...(await portVariables()), DATA_DIR: '/proc/fairlead' });
  expectRefusal(ended, 1, /DATA_DIR is "\/proc\/fairlead", which cannot be written to \(\w+\)/);
});

test('a data folder that another running app holds', async () => {
  await using folder = await makeFolder();
  const held = await openDataFolder(folder.path, { onLost: () => undefined });
  const ended = await start({ ...(await portVariables()), DATA_DIR: folder.path });
  await held.release();
  expectRefusal(
    ended,
    1,
    new RegExp(
      `DATA_DIR ".+" is in use by another Fairlead \\(process ${process.pid}\\); stop that one, or set DATA_DIR`,
    ),
  );
});

test('a named mongod that is none', async () => {
  await using folder = await makeFolder();
  const program = join(folder.path, 'mongod');
  await writeFile(program, '#!/bin/sh\necho hello\n');
  await chmod(program, 0o755);
  const ended = await start({
    ...(await portVariables()),
    DATA_DIR: join(folder.path, 'data'),
    MONGOMS_SYSTEM_BINARY: program,
  });
  expectRefusal(
    ended,
    78,
    /MONGOMS_SYSTEM_BINARY is ".+\/mongod", which does not run as a mongod; give the path of a mongod 6 or later/,
  );
});

test('a database of its own that is damaged', async () => {
  await using folder = await makeFolder();
  const dbPath = join(folder.path, 'mongo', 'data');
  await mkdir(dbPath, { recursive: true });
  await writeFile(join(dbPath, 'storage.bson'), 'not what it was');
  const ended = await start({
    ...(await portVariables()),
    DATA_DIR: folder.path,
    MONGOMS_SYSTEM_BINARY: inject('mongodPath'),
  });
  expectRefusal(
    ended,
    1,
    /The database in ".+\/mongo" does not start \(.+\); look at its files and the space on the disk, or set MONGODB_URI/,
  );
});

test('a database that cannot be reached', async () => {
  await using folder = await makeFolder();
  const port = await freePort();
  const ended = await start({
    ...(await portVariables()),
    DATA_DIR: folder.path,
    MONGODB_URI: `mongodb://fairlead:hunter2@127.0.0.1:${port}/fairlead`,
  });
  expectRefusal(
    ended,
    1,
    /MONGODB_URI names a database that cannot be reached \(.+ECONNREFUSED.+\); name a running MongoDB 6 or later that is a replica set/,
  );
  expect(ended.stderr).not.toContain('hunter2');
});

test('a database that is no replica set', async () => {
  await using folder = await makeFolder();
  await mkdir(join(folder.path, 'mongo'));
  const port = await freePort();
  const mongod = { path: inject('mongodPath'), version: '6.0.5' };
  const alone = await launchMongod({ mongod, dbPath: join(folder.path, 'mongo'), port });
  const ended = await start({
    ...(await portVariables()),
    DATA_DIR: join(folder.path, 'data'),
    MONGODB_URI: `mongodb://127.0.0.1:${port}/fairlead`,
  });
  await alone.stop();
  expectRefusal(
    ended,
    78,
    /MONGODB_URI names a database that is neither a replica set nor a sharded cluster, so it has no transactions; name a running MongoDB 6/,
  );
});

test('a key file that others can read, and one that is missing beside a database with data', async () => {
  await using folder = await makeFolder();
  const environment = { ...(await portVariables()), DATA_DIR: folder.path, MONGODB_URI: ownDatabase() };
  await InstallationModel.deleteMany({ _id: INSTALLATION_ID });
  await claimInstallation({ keysFingerprint: 'of another', storeId: 'of another' });
  expectRefusal(
    await start(environment),
    78,
    /The key file ".+\/keys\.json" is missing although the database has data; put it back from a backup, or give its content in FAIRLEAD_KEYS/,
  );
  await writeFile(join(folder.path, 'keys.json'), JSON.stringify(newKeys()), { mode: 0o644 });
  expectRefusal(
    await start(environment),
    78,
    /The key file ".+\/keys\.json" can be read by other users \(mode 0644\); run chmod 600 on it/,
  );
});

test('keys that are not those of the database', async () => {
  await using folder = await makeFolder();
  await InstallationModel.deleteMany({ _id: INSTALLATION_ID });
  await claimInstallation({ keysFingerprint: 'of another', storeId: 'of another' });
  const keys = JSON.stringify(newKeys());
  const ended = await start({
    ...(await portVariables()),
    DATA_DIR: folder.path,
    MONGODB_URI: ownDatabase(),
    FAIRLEAD_KEYS: keys,
  });
  expectRefusal(
    ended,
    78,
    /The keys of this Fairlead are not those that the database was created with; put the keys\.json .+, or set FAIRLEAD_KEYS/,
  );
});

test('a folder for artifacts that cannot be written', async () => {
  await using folder = await makeFolder();
  await InstallationModel.deleteMany({ _id: INSTALLATION_ID });
  const inTheWay = join(folder.path, 'artifacts');
  await writeFile(inTheWay, '');
  const ended = await start({
    ...(await portVariables()),
    DATA_DIR: join(folder.path, 'data'),
    MONGODB_URI: ownDatabase(),
    ARTIFACTS_URL: `file://${inTheWay}`,
  });
  expectRefusal(
    ended,
    1,
    /The folder .+\/artifacts cannot be used for artifacts.+; let this user write to that folder, or set ARTIFACTS_URL to another one/,
  );
});

test('a folder for artifacts where nothing can be made', async () => {
  await using folder = await makeFolder();
  await InstallationModel.deleteMany({ _id: INSTALLATION_ID });
  const ended = await start({
    ...(await portVariables()),
    DATA_DIR: join(folder.path, 'data'),
    MONGODB_URI: ownDatabase(),
    ARTIFACTS_URL: 'file:///proc/artifacts',
  });
  expectRefusal(
    ended,
    1,
    /The folder \/proc\/artifacts cannot be used for artifacts.+; let this user write to that folder/,
  );
});

test('a certificate that is not of the key', async () => {
  await using folder = await makeFolder();
  await InstallationModel.deleteMany({ _id: INSTALLATION_ID });
  const files = { SITES_CERT_FILE: join(folder.path, 'cert.pem'), SITES_KEY_FILE: join(folder.path, 'key.pem') };
  const [one, other] = [1, 2].map(() => selfSigned(new Date(0), new Date(Date.now() + 86_400_000), '*.localhost'));
  await writeFile(files.SITES_CERT_FILE, one?.cert ?? '');
  await writeFile(files.SITES_KEY_FILE, other?.key ?? '', { mode: 0o600 });
  const ended = await start({
    ...files,
    ...(await portVariables()),
    SITES_TLS_PORT: String(await freePort()),
    DATA_DIR: join(folder.path, 'data'),
    MONGODB_URI: ownDatabase(),
  });
  expectRefusal(
    ended,
    78,
    /SITES_KEY_FILE is ".+\/key\.pem", but it is not the key of the certificate in SITES_CERT_FILE/,
  );
});

test('a database that a newer version has written', async () => {
  await using folder = await makeFolder();
  await MigrationModel.create({ _id: 9_999, name: 'of-tomorrow', ranAt: new Date() });
  const ended = await start({
    ...(await portVariables()),
    DATA_DIR: folder.path,
    MONGODB_URI: ownDatabase(),
  });
  await MigrationModel.deleteOne({ _id: 9_999 });
  expectRefusal(
    ended,
    78,
    /The database was written by a newer Fairlead \(schema 9999; this version knows \d+\); start that version/,
  );
});

test.each([
  ['v18.20.4', true],
  ['v20.18.3', true],
  ['v20.19.0', false],
  ['v22.1.0', false],
  ['v24.0.0', false],
])('Node %s is refused: %s', (version, isRefused) => {
  const sentence = `Fairlead needs Node 20.19.0 or later (22 or 24 is recommended), and this is ${version}: install a newer one from https://nodejs.org.`;
  expect(nodeFault(version)).toBe(isRefused ? sentence : null);
});

test('an older Node is told so before anything else is read', async () => {
  const pretend = "data:text/javascript,Object.defineProperty(process, 'version', { value: 'v18.20.4' });";
  const program = join(import.meta.dirname, '../../server/cli/prepare.mjs');
  const ended = await startUntilItEnds({}, { nodeArguments: ['--import', pretend], program });
  expect(ended).toMatchObject({
    exitCode: 78,
    stdout: '',
    stderr: expect.stringMatching(/^Fairlead needs Node 20\.19\.0 or later .+ this is v18\.20\.4: .+\n$/),
  });
});
