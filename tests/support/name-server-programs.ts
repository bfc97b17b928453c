import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { readMongodSources } from '../../server/boot/env/env.ts';
import { libraryFolders, programFolders, unpackPackages } from './debian-packages.ts';

/** The Debian packages that hold them. */
const PACKAGES = ['bind9', 'bind9-dnsutils', 'pdns-server', 'pdns-backend-sqlite3', 'sqlite3', 'unbound'];
const PROGRAMS = ['named', 'dig', 'nsupdate', 'pdns_server', 'sqlite3', 'unbound', 'unbound-control'] as const;
const SCHEMA = 'usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql';

export type NameServerPrograms = {
  path(name: (typeof PROGRAMS)[number]): string;
  /** The SQL that makes an empty database for PowerDNS. */
  schema: string;
  /** The folder of its backends; that of the system when absent. */
  moduleDir: string | undefined;
  /** The environment to start them in, so that they find libraries which came with them. */
  env: Record<string, string>;
};

/** The packages unpacked by a run before, which is no installation: nothing of the system changes. */
const fetchedFolder = join(readMongodSources(process.env).cacheFolder, 'name-servers');

/** Only packages that the system lacks are fetched, so that each program may come from either. */
function findIn(root: string): NameServerPrograms | null {
  const ofSystem = [...(process.env.PATH ?? '').split(delimiter), ...programFolders('/')];
  const folders = root === '/' ? ofSystem : [...programFolders(root), ...ofSystem];
  const found = new Map(PROGRAMS.map((name) => [name, folders.find((folder) => existsSync(join(folder, name)))]));
  const schema = join(root, SCHEMA);
  if ([...found.values()].includes(undefined) || !existsSync(schema)) return null;
  const libraries = root === '/' ? [] : libraryFolders(root);
  return {
    path: (name) => join(found.get(name) ?? '', name),
    schema,
    moduleDir: libraries.map((folder) => join(folder, 'pdns')).find((folder) => existsSync(folder)),
    env: { PATH: process.env.PATH ?? '', ...(libraries.length > 0 && { LD_LIBRARY_PATH: libraries.join(':') }) },
  };
}

/**
 * Returns the name servers of this machine, or fetches them where it has apt (Debian, Ubuntu).
 * Throws an error that names the packages when both fail.
 */
export async function findNameServerPrograms(): Promise<NameServerPrograms> {
  const found = findIn('/') ?? findIn(fetchedFolder);
  if (found !== null) return found;
  console.log('Name servers: fetching bind9, pdns-server and unbound for the tests');
  const failed = await unpackPackages(PACKAGES, fetchedFolder).then(
    () => '',
    (error: Error) => ` (${error.message.split('\n')[0]})`,
  );
  const fetched = findIn(fetchedFolder);
  if (fetched !== null) return fetched;
  throw new Error(
    `The tests of DNS need name servers, and they were not found or could not be loaded${failed}: install the packages ${PACKAGES.join(', ')}.`,
  );
}

/**
 * Runs before all tests, so that a download counts against none of them; tests that need no name server run without
 * it.
 */
export async function setup(): Promise<void> {
  await findNameServerPrograms().catch((error: Error) => console.log(error.message));
}
