import ts from 'typescript';
import { expect, test } from 'vitest';
import { readSources } from '../support/source-tree.ts';

/**
 * Every map, set and list that outlives a call, and what bounds it however many strangers come. What is remembered because
 * of a stranger is an LRUCache, whose types ask for a limit; the others say here why they end.
 */
const BOUNDS: Readonly<Record<string, string>> = {
  'routers/schemas/redirects-file.ts exact': 'part of one site, which is weighed by the length of its rules',
  'routers/schemas/redirects-file.ts match': 'the parts of one path, which are gone with its answer',
  'routers/schemas/redirects-file.ts patterns': 'part of one site, which is weighed by the length of its rules',
  'server/artifacts/disk-intake.ts buffer': 'two megabytes of one archive, and two archives at once',
  'server/artifacts/disk-intake.ts entries': 'the files of one archive: 20,000 at most, and two archives at once',
  'server/artifacts/disk-intake.ts streams': 'the large files of one archive: 20,000 at most, and two archives at once',
  'server/artifacts/disk-intake.ts taken': 'the hashes of one archive: 20,000 at most, and two archives at once',
  'server/artifacts/disk-open-packs.ts packs': '32 open files',
  'server/artifacts/disk-pack.ts gone': 'artifacts of one pack',
  'server/artifacts/disk-packs.ts packs':
    'with their artifacts 2,000,000 entries of some 150 bytes; then files are stored one by one',
  'server/artifacts/disk-packs.ts unreadable': 'the packs of the folder',
  'server/artifacts/gridfs-files.ts rest': 'one chunk of a megabyte',
  'server/artifacts/gridfs-intake.ts staged': 'one megabyte, then it is written',
  'server/artifacts/gridfs-intake.ts taken': 'the hashes of one archive: 20,000 at most, and two archives at once',
  'server/artifacts/incoming-file.ts chunks': 'one megabyte, then it is written',
  'server/artifacts/variant-packer.ts waiting': 'one pack, then it is written; one job at a time for a deployment',
  'server/database/change-feed.ts collections': 'the collections that one part listens to',
  'server/artifacts/zip-file.ts #window': 'one window of a file, in the thread that reads it',
  'server/services/bloom-filter.ts bytes': 'a filter of fixed size, while one collection runs',
  'server/database/change-feed.ts subscriptions': 'one for each part that listens, and one for each running release',
  'server/egress.ts connectors': 'one for each port that may be reached',
  'server/egress.ts listeners': 'one for each listener of our own',
  'server/events/stream.ts channels': 'accounts with an open subscription: sockets have limits',
  'server/events/stream.ts listeners': 'the open subscriptions of an account: sockets have limits',
  'server/events/stream.ts owners': '10,000 steps',
  'server/events/stream.ts reads': 'the kinds of reads, until the next wake-up',
  'server/events/stream.ts steps': 'the running steps of an account',
  'server/host/access-log.ts counts': 'the sites that answered since the last writing, each with limits of its own',
  'server/host/access-log.ts known': 'two days',
  'server/host/access-log.ts notes': 'a full one is written at once',
  'server/host/access-log.ts timers': 'two',
  'server/host/access-log.ts waiting': 'rows beyond a limit are dropped while the database is away',
  'server/host/encoding.ts remembered': '500 headers of 200 bytes',
  'server/host/file-cache.ts buffers': '256 MB or an eighth of the memory',
  'server/host/file-cache.ts handles': '128 open files',
  'server/host/file-cache.ts loading': 'one body of a megabyte at most for a connection; connections have limits',
  'server/host/single-flight.ts pending': '64 lookups',
  'server/host/recheck-route.ts looks': '10,000 sites',
  'server/host/route-reader.ts dirty': 'the deployments that changed since the last reading: ids alone',
  'server/host/route-table.ts previews': '5,000 addresses',
  'server/host/route.ts known': '5,000 names of 259 bytes',
  'server/host/routes.ts byDeployment': 'live sites, which plans limit for each account',
  'server/host/routes.ts byRelease': 'live sites, which plans limit for each account',
  'server/host/routes.ts byHost': 'live sites, which plans limit for each account',
  'server/host/serve.ts toldAt': '1,000 paths of 512 bytes',
  'server/host/site-rules.ts byFile': '200 addresses of 512 bytes, in the weight of their site',
  'server/host/site-rules.ts byRules': '20 answers of 8 KiB, in the weight of their site',
  'server/host/site.ts entries': '100 answers, in the weight of their site',
  'server/host/site.ts loading': 'one release for a connection; connections have limits',
  'server/host/site.ts sites': '128 MiB by weight',
  'server/host/visit-count.ts pages': 'a limit for each site and minute',
  'server/host/visit-count.ts referrers': 'a limit for each site and minute',
  'server/host/visit-count.ts statuses': 'the status codes that the host answers with',
  'server/host/visit-count.ts visitors': 'a limit for each site and minute',
  'server/http/web-app.ts files': 'the files of the built app',
  'server/http/websocket.ts connections': 'sockets, which have limits by account and by address',
  'server/jobs/steps.ts lines': 'one line of each kind, until it is written',
  'server/jobs/worker.ts loops': 'the loops of the worker',
  'server/jobs/worker.ts running': 'one job for a loop',
  'server/jobs/worker.ts sleepers': 'the loops of the worker',
  'server/platforms/github-pages/tree.ts times': '450 requests of one release, gone with its job',
  'server/platforms/netlify/publish.ts required': 'what one deploy asks for, gone with its job',
  'server/platforms/send-files.ts queue': 'the files that one release sends at once, gone with its job',
  'server/platforms/vercel/publish.ts served': 'the files of one release, gone with its job',
  'server/process-group/group.ts children': 'the processes, PROCESSES of them',
  'server/process-group/remote-rate-counters.ts amounts': 'one for each body that is being written',
  'server/process-group/remote-rate-counters.ts gathered': 'what is asked within one turn of the event loop',
  'server/process-group/remote-rate-counters.ts held': 'slots that are held, each by a request or a connection',
  'server/process-group/remote-rate-counters.ts waiting': 'questions of calls that wait for the answer',
  'server/rate-counters.ts counts': 'the keys of one window, thrown away at its end',
  'server/rate-counters.ts heldByKey': 'one for each disk',
  'server/rate-counters.ts slotsByKey': 'slots that are held, each by a request or a connection',
  'server/rate-counters.ts windows': 'one for each length of a window, thrown away at its end',
  'server/secrets.ts derived': 'one for each purpose and key',
  'server/services/account/export.ts corrupted': 'files of one export, of which an account has one at a time',
  'server/services/corruption.ts noticed': '10,000 hashes',
  'server/services/events.ts sentLines': 'the running steps of one account',
  'server/services/garbage.ts readLists': '10,000 hashes',
  'server/services/garbage.ts unreadable': '10,000 accounts, then the run ends',
  'server/services/releases/publish.ts changed': 'the files of one release: 20,000 at most, gone with its job',
  'server/services/releases/release-work.ts lists': 'the lists of files that one job reads, gone with it',
  'server/services/releases/seen-files.ts lists': 'the lists of files that one verification reads, gone with its job',
  'server/services/releases/seen-files.ts lost': 'the corrupted files of one release, gone with its job',
  'server/services/uploads/entries.ts cache': '16 lists of files',
  'server/services/releases/inspection.worker.ts files': 'the files of one release: 20,000 at most, in its thread',
  'server/services/releases/inspection.worker.ts looks':
    'some more than 200,000 links of one release, in a thread with 256 MB, gone with its job',
  'server/services/releases/inspector.ts looks': 'of 256 KiB of texts, gone with the job',
  'server/thread.ts execArgv': 'always empty',
  'server/thread.ts messages':
    'the slabs of an archive, which the thread gets back before it sends more, or one answer',
  'server/start/shutdown-stack.ts started': 'the parts of the program',
  'server/transport/http2.ts answering': 'the streams of one session: 100 at once',
  'server/transport/http2.ts connections': 'connections, which have limits in all and by address',
  'server/transport/http2.ts waiting': 'the requests of one session, which ends after 1,000',
};

const COLLECTIONS: ReadonlySet<string> = new Set([
  'Map',
  'Set',
  'LRUCache',
  'Array',
  'Uint8Array',
  'SharedArrayBuffer',
]);
/** Functions that make something which lives on, whatever they return. */
const MAKER = /^(?:(?:create|notice|open|watch)[A-Z]|rememberHeaders)/;
const CONSTANT = /^[A-Z][A-Z_0-9]*$/;

function isCollection(value: ts.Expression | undefined): boolean {
  if (value === undefined) return false;
  if (ts.isNewExpression(value)) return ts.isIdentifier(value.expression) && COLLECTIONS.has(value.expression.text);
  if (ts.isCallExpression(value)) return /^Buffer\.alloc/.test(value.expression.getText());
  return ts.isArrayLiteralExpression(value) && value.elements.length === 0;
}

type Holder = ts.VariableDeclaration | ts.PropertyDeclaration | ts.PropertyAssignment;

/** A variable, a field of a class or a property of an object that holds a collection. */
function isHolder(node: ts.Node): node is Holder {
  const canHold = ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node) || ts.isPropertyAssignment(node);
  return canHold && isCollection(node.initializer) && !CONSTANT.test(node.name.getText());
}

function functionAround(node: ts.Node): ts.SignatureDeclaration | undefined {
  let at: ts.Node | undefined = node.parent;
  while (at !== undefined && !ts.isFunctionLike(at)) at = at.parent;
  return at;
}

/** Whether a value is a function, or an object that has one: what it closes over lives as long as it does. */
function holdsFunction(value: ts.Expression, own: ReadonlySet<string>): boolean {
  if (ts.isArrowFunction(value) || ts.isFunctionExpression(value)) return true;
  if (ts.isParenthesizedExpression(value)) return holdsFunction(value.expression, own);
  if (ts.isIdentifier(value)) return own.has(value.text);
  if (!ts.isObjectLiteralExpression(value)) return false;
  return value.properties.some((property) => {
    if (ts.isShorthandPropertyAssignment(property)) return own.has(property.name.text);
    if (ts.isPropertyAssignment(property)) return holdsFunction(property.initializer, own);
    return ts.isMethodDeclaration(property) || ts.isGetAccessor(property);
  });
}

/** Whether a function gives away functions of its own. */
function givesFunctions(maker: ts.SignatureDeclaration): boolean {
  const own = new Set<string>();
  let gives = false;
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionDeclaration(node) && node.name !== undefined) own.add(node.name.text);
    if (ts.isVariableDeclaration(node) && node.initializer !== undefined && holdsFunction(node.initializer, own)) {
      own.add(node.name.getText());
    }
    if (ts.isReturnStatement(node) && node.expression !== undefined) gives ||= holdsFunction(node.expression, own);
    if (!ts.isFunctionLike(node)) ts.forEachChild(node, visit);
  };
  if (ts.isArrowFunction(maker) && !ts.isBlock(maker.body)) return holdsFunction(maker.body, own);
  ts.forEachChild(maker, visit);
  return gives;
}

function livesOn(holder: Holder): boolean {
  const maker = functionAround(holder);
  if (ts.isPropertyDeclaration(holder)) return true;
  const isList = holder.initializer?.kind === ts.SyntaxKind.ArrayLiteralExpression;
  // An object may go anywhere; an empty list in one outside all functions is data.
  if (ts.isPropertyAssignment(holder) && (!isList || maker === undefined)) return !isList;
  return maker === undefined || MAKER.test(maker.name?.getText() ?? '') || givesFunctions(maker);
}

function keptIn(path: string, text: string): string[] {
  const kept: string[] = [];
  const visit = (node: ts.Node): void => {
    if (isHolder(node) && livesOn(node)) kept.push(`${path} ${node.name.getText()}`);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return kept;
}

test('every map, set and list that outlives a call has a bound', () => {
  const kept: string[] = [];
  for (const [path, text] of readSources(['server', 'routers'])) {
    if (/^(server|routers)\//.test(path) && !path.includes('/simulated/')) kept.push(...keptIn(path, text));
  }
  expect(kept.filter((one) => BOUNDS[one] === undefined)).toEqual([]);
  expect(Object.keys(BOUNDS).filter((one) => !kept.includes(one))).toEqual([]);
});

test.each([
  ['const cache = new Map<string, string>();', 1],
  ['export function createThing() {\n  const seen = new Set<string>();\n}', 1],
  ['function createThing() {\n  let rows: Row[] = [];\n}', 1],
  ['function readThing() {\n  const seen = new Set<string>();\n}', 0],
  ['export class Thing {\n  private readonly seen = new Map<string, number>();\n}', 1],
  ['function makeThing() {\n  const state = { open: new Set<string>() };\n  return state;\n}', 1],
  ['const remember = () => {\n  const seen: string[] = [];\n  return (one: string) => seen.push(one);\n};', 1],
  ['function makeThing() {\n  const held = Buffer.alloc(9);\n  function read() {}\n  return { read };\n}', 1],
  ['function readThing() {\n  const held = Buffer.alloc(9);\n  return held;\n}', 0],
  ['export const TABLE = { rows: [] };', 0],
  ['const NAMES: ReadonlySet<string> = new Set();', 0],
])('planted: %s', (text, count) => {
  expect(keptIn('server/planted.ts', text)).toHaveLength(count);
});
