import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import viteConfig from '../../vite.config.ts';
import { type Import, importsOf, readSources, type SourceTree } from '../support/source-tree.ts';

/**
 * Rules of imports. The first row that a file belongs to is its rule: the files it may take values from, those it may
 * take types from besides, and its packages. Every file may import from its own row (`own`), and types alone cost
 * nothing.
 */
type Row = {
  of: RegExp;
  files?: readonly RegExp[];
  types?: readonly RegExp[];
  packages: readonly RegExp[];
  own?: false;
};

/** Code that the browser and the server share: the schemas, and the rules beside them. */
const SCHEMAS = /^routers\/(schemas|rules)\//;
/** Node's own modules, and the one map with a limit: whatever is remembered because of a stranger is kept in it. */
const NODE = /^node:|^lru-cache$/;
const ZOD = /^zod\/mini$/;
/** Every server folder may use these, besides the interfaces of adapters as types. */
const SERVER_BASE = [
  SCHEMAS,
  /^server\/lib\/(errors|log|challenge-redirects|client-address|durations|load-once|with-slot|with-timeout|time-slices|thread\/thread|site-names|mailed-links|token-prefix|crypto\/token-hash|page-cursor|remedies|visitor-set|networks)\.ts$/,
  /^server\/lib\/egress\/(vendor-answers|vendor-requests|answer-json|answer-list|answer-budget)\.ts$/,
  /^server\/(context|database\/cursor-rows)\.ts$/,
];
const INTERFACES = [
  /^server\/(store\/(store|manifest|intake)|domains\/certificates\/authority\/authority|publishing\/platforms\/platform|dns\/(dns-client|domain-connect|provider)|account\/mail\/mailer|plans\/payments\/payments|host\/sites-addresses|lib\/(egress\/reach|crypto\/secrets|rate-counters)|database\/change-feed|queue\/(queue|payloads|handler))\.ts$/,
];
const SERVER_TYPES = [...SERVER_BASE, ...INTERFACES];
const LIB = /^server\/lib\//;
const DATABASE = /^server\/database\/(embedded\/)?[^/]+\.ts$/;
const MODELS = /^server\/database\/models\//;
const MONGO = /^server\/database\/mongo\.ts$/;
const EGRESS = /^server\/lib\/egress\/egress\.ts$/;
const DURABLE_FILE = /^server\/lib\/durable-file\.ts$/;
/** Modules without state, database or network of their own. */
const PURE =
  /^server\/(store\/(manifest|rule-files|zip\/archive)|lib\/(site-domain|content\/[a-z-]+)|dns\/(dns-client|caa|challenge-name|zone-names|queries\/(canonical-address|unseen-record)|record-plan\/[a-z-]+))\.ts$/;

/** The work, cut by what happens; the adapters that stand in the same folders have rows of their own. */
const SERVICES =
  /^server\/((account(?!\/mail\/(outbox|smtp)\.ts)|account-data|plans(?!\/payments\/(stripe\/|test-checkout\.ts))|publishing(?!\/platforms\/)|domains(?!\/certificates\/authority\/)|analytics|connections|simulation|diagnostics(?!\/checks\/))\/(?!jobs\/)|store\/(garbage|corruption|bloom-filter)\.ts$)/;
const JOBS = /^server\/[a-z-]+\/jobs\//;

/** The stored data and the way to it. */
const STORED = [MODELS, MONGO, /^server\/database\/(move-state|site-address|find-deployment)\.ts$/];
const WITH_DATABASE = [NODE, /^mongoose$/];
const LOOKS = [/^react/, /^radix-ui$/, /^lucide-react$/, /^wouter$/];
const SCREEN_PACKAGES = [...LOOKS, /^@tanstack\/react-query$/, /^@hookform\/resolvers\//, ZOD];
/** Below the screens: what a feature may take. */
const PARTS = [SCHEMAS, /^src\/(components|api|realtime|uploads|lib)\//];

const ROWS: readonly Row[] = [
  { of: SCHEMAS, packages: [ZOD] },
  // The types of `ws` are not in the declarations that a script gets.
  {
    of: /^routers\/client\.ts$/,
    files: [/^routers\/rules\/plain-input\.ts$/],
    types: [/^routers\/(_app|schemas\/limits)\.ts$/],
    packages: [/^@trpc\/client$/, /^superjson$/, /^ws$/],
  },
  {
    // `mongo` for one function: what the driver throws is told apart there, once for all transports.
    of: /^routers\//,
    files: [...SERVER_BASE, SERVICES, MONGO],
    packages: [/^@trpc\/server/, /^superjson$/, /^cookie$/, /^ipaddr\.js$/, ZOD, NODE],
  },
  {
    of: /^server\/boot\/jobs\.ts$/,
    files: [...SERVER_BASE, JOBS, /^server\/queue\//, /^server\/domains\/detach\.ts$/],
    packages: WITH_DATABASE,
  },
  // The order of the start, and the choice of adapters.
  {
    of: /^server\/boot\/(main|providers|life-cycle|bootstrap|serving|supervisor|child)\.ts$/,
    files: [/^server\//, SCHEMAS],
    packages: WITH_DATABASE,
  },
  // Where people are for the API of an enterprise, its folder alone knows: sign-in opens the same pages.
  {
    of: /^server\/boot\/env\/oauth\.ts$/,
    files: [/^server\/publishing\/platforms\/git\/hosts\.ts$/],
    types: SERVER_TYPES,
    packages: [ZOD],
  },
  // What is ready, and whose installation it is, is asked of what is stored.
  {
    of: /^server\/boot\//,
    files: [LIB, DATABASE, MODELS, SCHEMAS, /^server\/http\/health\.ts$/],
    types: SERVER_TYPES,
    packages: [...WITH_DATABASE, ZOD],
  },
  {
    of: LIB,
    files: [SCHEMAS],
    types: SERVER_TYPES,
    packages: [NODE, ZOD, /^@node-rs\/argon2$/, /^tldts$/, /^undici$/, /^ipaddr\.js$/, /^mime-types$/],
  },
  {
    of: /^server\/context\.ts$/,
    files: [SCHEMAS],
    types: [...SERVER_TYPES, EGRESS],
    packages: [NODE],
  },
  {
    of: /^server\/database\/(models|migrations)\/|^server\/database\/(move-state|site-address|find-deployment)\.ts$/,
    files: [...SERVER_BASE, ...STORED, /^server\/lib\/start-error\.ts$/],
    packages: WITH_DATABASE,
  },
  {
    of: DATABASE,
    files: [LIB, SCHEMAS],
    types: SERVER_TYPES,
    packages: [...WITH_DATABASE, ZOD],
  },
  {
    of: /^server\/store\/gridfs\//,
    files: [...SERVER_BASE, /^server\/store\//, MONGO],
    types: INTERFACES,
    packages: WITH_DATABASE,
  },
  // The vendor's own library is known to its adapter alone.
  {
    of: /^server\/plans\/payments\/stripe\//,
    files: [...SERVER_BASE, /^server\/plans\/payments\/stripe\//, EGRESS],
    types: [...INTERFACES, EGRESS],
    packages: [NODE, ZOD, /^stripe$/],
  },
  ...[
    /^server\/(publishing\/platforms|dns|domains\/certificates\/authority|store(?!\/(jobs\/|garbage|corruption|bloom-filter))|diagnostics\/checks)\//,
    /^server\/account\/mail\/(mailer|outbox|smtp|templates)\.ts$/,
    /^server\/plans\/payments\/(payments|test-checkout)\.ts$/,
  ].map((of) => ({
    // An adapter gets what it needs as an argument; of the others it knows interfaces and what is pure.
    of,
    files: [...SERVER_BASE, PURE, EGRESS, DURABLE_FILE],
    types: INTERFACES,
    packages: [
      NODE,
      ZOD,
      /^@peculiar\/x509$/,
      /^reflect-metadata$/,
      /^yauzl$/,
      /^tar-stream$/,
      /^nodemailer$/,
      /^dns-packet$/,
      /^aws4fetch$/,
      /^@rgrove\/parse-xml$/,
    ],
  })),
  {
    of: /^server\/events\//,
    files: [...SERVER_BASE, ...STORED],
    types: INTERFACES,
    packages: WITH_DATABASE,
  },
  {
    of: /^server\/queue\//,
    files: [...SERVER_BASE, ...STORED, /^server\/events\//, /^server\/database\/move-state\.ts$/],
    types: INTERFACES,
    packages: [...WITH_DATABASE, ZOD],
  },
  {
    of: JOBS,
    files: [
      ...SERVER_BASE,
      PURE,
      SERVICES,
      /^server\/queue\/(steps|payloads|queue|lease|failure|handler)\.ts$/,
      // Of what is stored a handler reads the other jobs alone: the rest is its services'.
      /^server\/database\/models\/(job|account-scope)\.ts$/,
      MONGO,
      /^server\/events\//,
    ],
    types: [MODELS, ...INTERFACES],
    packages: WITH_DATABASE,
  },
  {
    of: SERVICES,
    files: [
      ...SERVER_BASE,
      PURE,
      ...STORED,
      /^server\/events\//,
      /^server\/lib\/crypto\/secrets\.ts$/,
      EGRESS,
      /^server\/queue\/(queue|payloads)\.ts$/,
      /^server\/account\/mail\/templates\.ts$/,
      // The checks have no adapter to choose: the service brings their tools.
      /^server\/diagnostics\/checks\//,
      // The sentences of what a platform refuses: a simulation says them without a platform.
      /^server\/publishing\/platforms\/(failures|domain-answers|by-hand)\.ts$/,
      /^server\/domains\/certificates\/authority\/(sealed-key|authority|problems|renewal|budget|challenges|persistent-record|x509|acme\/ari)\.ts$/,
    ],
    types: INTERFACES,
    packages: [...WITH_DATABASE, ZOD],
  },
  {
    // The visitor's way to a site; its own rules of names are pure and shared with the services.
    of: /^server\/host\//,
    files: [
      ...SERVER_BASE,
      PURE,
      ...STORED,
      /^server\/http\/transport\//,
      /^server\/store\//,
      /^server\/domains\/certificates\/authority\//,
      DURABLE_FILE,
    ],
    types: INTERFACES,
    packages: [...WITH_DATABASE, ZOD],
  },
  // What every port has, whatever is answered at it.
  {
    of: /^server\/http\/transport\//,
    files: SERVER_BASE,
    types: INTERFACES,
    packages: [NODE],
  },
  {
    of: /^server\/http\//,
    files: [...SERVER_BASE, /^routers\//, SERVICES, /^server\/http\/transport\//],
    types: [/^server\/boot\/providers\.ts$/, ...INTERFACES],
    packages: [NODE, /^express$/, /^helmet$/, /^mime-types$/, /^ws$/, /^@trpc\/server/],
  },
  { of: /^server\/cli\/deploy\.ts$/, files: [/^routers\/client\.ts$/], packages: [NODE] },
  {
    of: /^server\/cli\//,
    files: [/^server\/(boot|database|lib|account|plans|store|publishing|queue|cli)\//, SCHEMAS],
    packages: [NODE, /^vite$/, /^mongoose$/],
  },
  {
    of: /^src\/components\//,
    files: [/^src\/lib\//, SCHEMAS],
    packages: [...LOOKS, /^get-nonce$/, /^simple-icons$/, /^@iconify-icons\/cib\/heroku$/],
  },
  { of: /^src\/lib\//, files: [SCHEMAS], packages: [/^react/, /^wouter/] },
  {
    of: /^src\/(api|realtime)\//,
    files: [SCHEMAS, /^src\/(api|realtime|lib|components)\//],
    types: [/^routers\/_app\.ts$/],
    packages: [/^react/, /^@trpc\//, /^@tanstack\/react-query$/, /^superjson$/],
  },
  {
    // What the server tells ends what is sent in vain.
    of: /^src\/uploads\//,
    files: [SCHEMAS, /^src\/(api|lib|components)\//, /^src\/realtime\/channel\.ts$/],
    packages: [/^react/, /^idb-keyval$/, /^@noble\/hashes\//],
  },
  // What edits a text is known to few files: all else of the screen is React.
  {
    of: /^src\/features\/deployments\/edit\/code-/,
    files: [/^src\/features\/deployments\/edit\//, /^src\/lib\//],
    packages: [/^react$/, /^@codemirror\//, /^@lezer\//, /^get-nonce$/],
  },
  // So is what compares two.
  {
    of: /^src\/features\/releases\/history\/compare-lines\.ts$/,
    files: [],
    packages: [/^diff$/],
  },
  {
    of: /^src\/features\//,
    files: PARTS,
    packages: SCREEN_PACKAGES,
  },
  {
    // Titles, skeletons and access stand in the one table of routes, which loads screens when they are opened.
    of: /^src\/layouts\//,
    files: [SCHEMAS, /^src\/(features|components|api|realtime|uploads|lib)\//, /^src\/routes\.tsx$/],
    packages: [...LOOKS, /^@tanstack\/react-query$/],
  },
  {
    // What several screens are made of, and composes features as they do.
    of: /^src\/flows\//,
    files: [/^src\/features\//, ...PARTS],
    packages: SCREEN_PACKAGES,
  },
  {
    of: /^src\/screens\//,
    files: [/^src\/(features|flows)\//, ...PARTS],
    packages: SCREEN_PACKAGES,
  },
  {
    of: /^src\//,
    files: [/^src\//, SCHEMAS],
    packages: [/^react/, /^get-nonce$/, /^@tanstack\/react-query$/, /^lucide-react$/, /^wouter$/],
  },
];

const matches = (patterns: readonly RegExp[] | undefined, name: string): boolean =>
  patterns?.some((pattern) => pattern.test(name)) ?? false;

/** Two features, though of one row, are strangers. */
function isOtherFeature({ from, to }: Import): boolean {
  const featureOf = (path: string): string | undefined => /^src\/features\/([^/]+)\//.exec(path)?.[1];
  const [one, other] = [featureOf(from), featureOf(to)];
  return one !== undefined && other !== undefined && one !== other;
}

function isAllowed(found: Import): boolean {
  const row = ROWS.find(({ of }) => of.test(found.from));
  if (row === undefined) return false;
  if (!found.isFile) return matches(row.packages, found.to) || (found.isType && NODE.test(found.to));
  if (/\.(css|svg|json)$/.test(found.to)) return true;
  if (isOtherFeature(found)) return false;
  if (row.of.test(found.to) || matches(row.files, found.to)) return true;
  return found.isType && matches(row.types, found.to);
}

function violations(tree: SourceTree): string[] {
  return [...tree]
    .filter(([path]) => !path.startsWith('tests/'))
    .flatMap(([path, text]) => importsOf(path, text))
    .filter((found) => !isAllowed(found))
    .map(({ from, to, isType }) => `${from} imports ${isType ? 'the types of ' : ''}${to}`);
}

/**
 * Returns both sides of an import as they lie in the folder that holds them: each is a file, or a folder with all that
 * is in it. The folders at the top count as one: the server reads the schemas of the contract, which calls the
 * services.
 */
function joinedBy({ from, to }: Import): [string, string] {
  const [one, other] = [from.split('/'), to.split('/')];
  const depth = Math.max(2, one.findIndex((name, index) => name !== other[index]) + 1);
  return [one.slice(0, depth).join('/'), other.slice(0, depth).join('/')];
}

/** Circles of values, of files and of folders, each with an import for each of its steps: types end at compile time. */
function cycles(tree: SourceTree): string[] {
  const edges = new Map<string, Map<string, string>>();
  const imports = [...tree].flatMap(([path, text]) => importsOf(path, text));
  for (const found of imports.filter(({ isFile, isType }) => isFile && !isType)) {
    const [one, other] = joinedBy(found);
    edges.set(one, (edges.get(one) ?? new Map()).set(other, `${found.from} imports ${found.to}`));
  }
  const done = new Set<string>();
  const found: string[] = [];
  const walk = (name: string, trail: string[]): void => {
    const circle = trail.includes(name) ? trail.slice(trail.indexOf(name)) : [];
    if (circle.length > 0) found.push(circle.map((one, at) => edges.get(one)?.get(circle[at + 1] ?? name)).join(', '));
    if (circle.length > 0 || done.has(name)) return;
    for (const next of edges.get(name)?.keys() ?? []) walk(next, [...trail, name]);
    done.add(name);
  };
  for (const name of edges.keys()) walk(name, []);
  return found;
}

const tree = readSources(['routers', 'server', 'src']);

test('imports go the way that the house lays down', () => {
  expect(tree.size).toBeGreaterThan(100);
  expect(violations(tree)).toEqual([]);
});

test('no file and no folder reaches itself through its imports', () => {
  expect(cycles(tree)).toEqual([]);
});

test('the dev server may load every folder that the app imports from', async () => {
  const { server } = await viteConfig({ command: 'serve', mode: 'development' });
  const allowed = server?.fs?.allow ?? [];
  const taken = [...tree].filter(([path]) => path.startsWith('src/')).flatMap(([path, text]) => importsOf(path, text));
  const refused = taken.filter(
    ({ to, isFile, isType }) => isFile && !isType && !allowed.some((folder) => resolve(to).startsWith(`${folder}/`)),
  );
  expect(refused.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
});

test.each([
  ['src/lib/format.ts', "import { AppError } from '../../server/lib/errors.ts';"],
  ['src/lib/format.ts', "import type { Plan } from '../../server/context.ts';"],
  ['src/screens/home.tsx', "import { appRouter } from '../../routers/_app.ts';"],
  ['src/components/button.tsx', "import { trpc } from '../api/trpc.ts';"],
  ['src/features/auth/login-form.tsx', "import { RateDialog } from '../feedback/rate-dialog.tsx';"],
  ['src/screens/home.tsx', "const module = await import('../../server/boot/main.ts');"],
  ['server/account/user.ts', "import { Router } from 'express';"],
  ['server/account/user.ts', "import { TRPCError } from '@trpc/server';"],
  ['server/account/user.ts', "import { readEnv } from '../boot/env/env.ts';"],
  ['server/publishing/platforms/built-in/index.ts', "import { UserModel } from '../../../database/models/user.ts';"],
  ['server/store/disk/disk.ts', "export { deliver } from '../../account/mail/outbox.ts';"],
  ['server/http/rest.ts', "import { UserModel } from '../database/models/user.ts';"],
  ['server/domains/jobs/check-domain.ts', "import { DomainModel } from '../../database/models/domain.ts';"],
  ['server/lib/errors.ts', "import { z } from '../tests/support/app.ts';"],
  ['routers/user.ts', "import { UserModel } from '../server/database/models/user.ts';"],
  ['routers/schemas/user.ts', "import { newId } from '../../server/database/mongo.ts';"],
  ['routers/schemas/user.ts', "import { randomBytes } from 'node:crypto';"],
  ['routers/client.ts', "import { appRouter } from './_app.ts';"],
])('planted in %s, %s is found', (path, line) => {
  expect(violations(new Map([[path, line]]))).toHaveLength(1);
});

test('a planted circle of files is found', () => {
  const planted = new Map([
    ['src/lib/a.ts', "import './b.ts';"],
    ['src/lib/b.ts', "import type { A } from './a.ts';\nimport { c } from './c.ts';"],
    ['src/lib/c.ts', "import { a } from './a.ts';"],
  ]);
  expect(cycles(planted)).toEqual([
    'src/lib/a.ts imports src/lib/b.ts, src/lib/b.ts imports src/lib/c.ts, src/lib/c.ts imports src/lib/a.ts',
  ]);
});

test.each([
  ['server/a/x/one.ts', 'server/b/one.ts', 'server/b/two.ts', 'server/a/y/two.ts'],
  ['server/a/x/one.ts', 'server/a/y/one.ts', 'server/a/y/two.ts', 'server/a/x/two.ts'],
  ['routers/one.ts', 'server/a/one.ts', 'server/a/two.ts', 'routers/one.ts'],
])('a planted circle of folders is found: %s imports %s, %s imports %s', (from, to, from2, to2) => {
  const upTo = (path: string): string => '../'.repeat(path.split('/').length - 1);
  const planted = [
    [from, to],
    [from2, to2],
  ].map(([one = '', other]) => [one, `import '${upTo(one)}${other}';`] as const);
  expect(cycles(new Map(planted))).toHaveLength(1);
});
