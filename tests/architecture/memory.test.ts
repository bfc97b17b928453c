import ts from 'typescript';
import { expect, test } from 'vitest';
import { findNodes, parse, readSources } from '../support/source-tree.ts';

/**
 * Every map, set and list that outlives a call, and what bounds it however many strangers come. What is remembered
 * because of a stranger is an LRUCache, whose types ask for a limit; the others say here why they end.
 */
const BOUNDS: Readonly<Record<string, string>> = {
  'routers/call-turns.ts parties': 'accounts with open calls, which their connections limit',
  'routers/call-turns.ts waiting': '200 open calls of an account',
  'routers/client.ts failures': 'the subscriptions that a script has open',
  'routers/rules/hosting/redirects-file.ts exact': 'part of one site, which is weighed by the length of its rules',
  'routers/rules/hosting/redirects-file.ts patterns': 'part of one site, which is weighed by the length of its rules',
  'server/store/disk/intake.ts buffer': 'two megabytes of one archive, and two archives at once',
  'server/store/disk/intake.ts entries': 'the files of one archive: 20,000 at most, and two archives at once',
  'server/store/disk/intake.ts streams': 'the large files of one archive: 20,000 at most, and two archives at once',
  'server/store/disk/intake.ts taken': 'the hashes of one archive: 20,000 at most, and two archives at once',
  'server/store/disk/intake.ts unsynced': 'the seventeen folders: of bundles, and of loose files',
  'server/store/disk/open-bundles.ts blocks': '8 pieces of 1.1 MB, for five seconds',
  'server/store/disk/open-bundles.ts given': 'the parts of one block: 20,000 at most, as many as an archive has',
  'server/store/disk/open-bundles.ts bundles': '32 open files, of 500 bytes with their paths',
  'server/store/disk/bundle.ts gone': 'artifacts of one bundle',
  'server/store/disk/bundles.ts bundles':
    'with their artifacts 2,000,000 entries of some 150 bytes; then files are stored one by one',
  'server/store/disk/bundles.ts shards':
    '256 maps, with 2,000,000 artifacts in all, as many as bundles may hold; then files are stored one by one',
  'server/store/disk/reader.ts rememberVerified': '100,000 artifacts of 200 bytes',
  'server/store/gridfs/reader.ts rememberVerifiedFiles': '100,000 hashes of 100 bytes',
  'server/store/zip/zip.worker.ts slabs': 'three, which go to and fro, in a thread that reads one archive',
  'server/store/disk/bundles.ts unreadable': 'the bundles of the folder',
  'server/store/full-disk.ts full': 'the disks that are written to, two at most',
  'server/store/gridfs/files.ts rest': 'one chunk of a megabyte',
  'server/store/gridfs/intake.ts staged': 'one megabyte, then it is written',
  'server/store/gridfs/intake.ts taken': 'the hashes of one archive: 20,000 at most, and two archives at once',
  'server/store/incoming-file.ts chunks': 'one megabyte, then it is written',
  'server/domains/certificates/authority/acme/transport.ts nonces':
    'ten nonces of one authority, which the operator chose',
  'server/domains/certificates/authority/x509.ts createRequest': 'the bytes of one request',
  'server/database/change-feed.ts collections': 'the collections that one part listens to',
  'server/publishing/publication/verification/quick-look.worker.ts #asked': 'sixteen files of one connection',
  'server/store/zip/file.ts #window': 'one window of a file, in the thread that reads it',
  'server/diagnostics/run.ts facts':
    'what one report has seen: a few facts of 16 values and 300 characters each for a check, gone with its job',
  'server/diagnostics/tools.ts servers': 'the names that one report comes to, by 60 visits at most, gone with it',
  'server/diagnostics/visits.ts made': '60 visits of one report, with 128 KiB of text each, gone with it',
  'server/store/bloom-filter.ts bytes': '64 MiB, one filter at a time, while one collection runs',
  'server/store/bloom-filter.ts salt': 'eight numbers',
  'server/database/change-feed.ts subscriptions': 'one for each part that listens, and one for each running release',
  'server/dns/providers/tsig.ts other': 'empty, or a part of one message, until the call ends',
  'server/dns/providers/route53-requests.ts headers': 'the headers of one request, gone with it',
  'server/dns/queries/questions.ts answering': 'the zones that one call comes to: 300 questions at most, gone with it',
  'server/dns/queries/questions.ts outcomes':
    'the answers to one call: 300 at most, of each 64 records and 16 KiB of text, gone with it',
  'server/dns/queries/questions.ts silences': 'the addresses that one call asks: 300 at most, gone with it',
  'server/dns/queries/semaphore.ts waiting':
    'the questions of open calls: checks have slots and loops, and each has 300 at most',
  'server/dns/queries/delegation.ts glue': 'sixteen name servers with three addresses each, until the call ends',
  'server/dns/queries/wire.ts received': 'one message of sixteen kilobytes and what came with its end',
  'server/lib/egress/client.ts connectors':
    '32 ports that may be reached, with a resolver and 100 TLS sessions each: 300 KiB',
  'server/lib/egress/exchange.ts #chunks':
    'what of one answer is not read yet: 64 KiB and what came with their end, then the peer waits',
  'server/publishing/publication/verification/quick-look.worker.ts sockets':
    'eight, in the thread that looks at one release',
  'server/publishing/publication/verification/quick-look.worker.ts seen': '50 numbers, then they are told',
  'server/lib/egress/client.ts listeners': 'one for each listener of our own',
  'server/events/stream.ts channels': 'accounts with an open subscription: sockets have limits',
  'server/events/stream.ts listeners': 'the open subscriptions of an account: sockets have limits',
  'server/events/stream.ts known': '10,000 publications: their ids, and how far four steps are, 500 bytes',
  'server/events/stream.ts reads': 'the kinds of reads, until the next wake-up',
  'server/events/stream.ts steps': 'the running steps of an account',
  'server/host/access-log.ts counts': 'the sites that answered since the last writing, each with limits of its own',
  'server/host/access-log.ts known': 'the salts of two days',
  'server/host/access-log.ts notes': 'a full one is written at once',
  'server/host/access-log.ts timers': 'two',
  'server/host/access-log.ts waiting': 'rows beyond a limit are dropped while the database is away',
  'server/host/responses/contents.ts compressing': 'files that are being compressed, 64 at most',
  'server/host/responses/contents.ts looking': 'one content for a connection; connections have limits',
  'server/host/responses/contents.ts remembered': '20,000 contents of 200 bytes',
  'server/host/responses/encoding.ts remembered': '500 headers of 200 bytes',
  'server/host/responses/file-cache.ts buffers': '256 MB or an eighth of the memory',
  'server/host/responses/file-cache.ts handles': '128 open files',
  'server/host/responses/file-cache.ts loading':
    'one body of a megabyte at most for a connection; connections have limits',
  'server/host/site-certificates.ts contexts': 'by weight, chain included: 64 MB, or a 32nd of the memory',
  'server/host/single-flight.ts pending':
    '64 lookups, 1,024 that wait, and names that are known: one for each open connection at most',
  'server/host/single-flight.ts running': 'the groups of 64 lookups',
  'server/host/single-flight.ts waiting': 'those of pending that wait for a slot',
  'server/host/routing/recheck-route.ts looks': '10,000 sites: an id and a promise of nothing, 300 bytes',
  'server/host/routing/name-index.ts byId':
    'proved domains, of which there are 100,000 at most (limits.domainsInAll), and their certificates: 1 KiB each',
  'server/host/routing/name-index.ts byName': 'the names of byId',
  'server/host/routing/read-loop.ts dirty': 'the deployments or domains that changed since the last reading: ids alone',
  'server/host/routing/previews.ts byHost': '5,000 addresses: ids, hashes and a slug, and no earlier releases, 1 KiB',
  'server/host/routing/previews.ts hostsById': 'the addresses of byHost, twice',
  'server/host/routing/route.ts known': '5,000 names of 259 bytes',
  'server/host/routing/route-table.ts timers': 'two',
  'server/host/routing/routes.ts byDeployment':
    '64 MiB by weight: sites that are visited; of the others nothing is kept, and their routes are read when somebody asks',
  'server/host/routing/routes.ts byHost': 'the routes of byDeployment, in its weight',
  'server/host/routing/route-reader.ts wanted': 'the deployments of open lookups, of which there are 64',
  'server/host/routing/route-reader.ts changed': 'the deployments that changed since the last reading: ids alone',
  'server/host/serve.ts loggedAt': '1,000 keys of 1,089 bytes',
  'server/host/routing/read-routes.ts reusedNames': '200 names of one deployment, of 1,024 bytes',
  'server/host/responses/site-rules.ts byFile': '200 addresses of 1,024 bytes, in the weight of their site',
  'server/host/responses/site-rules.ts byRules': '20 answers of 8 KiB, in the weight of their site',
  'server/host/responses/site.ts entries': '100 answers, in the weight of their site',
  'server/host/responses/site.ts loading': 'one release for a connection; connections have limits',
  'server/host/responses/site-lru.ts cache': '128 MiB by weight',
  'server/host/responses/site-lru.ts sites': 'the kept sites, by account, until there is room for one more',
  'server/host/visit-count.ts pages': 'a limit for each site and minute',
  'server/host/visit-count.ts referrers': 'a limit for each site and minute',
  'server/host/visit-count.ts replies': 'a number for each step of the time that answers take',
  'server/host/visit-count.ts statuses': 'the status codes that the host answers with',
  'server/host/visit-count.ts visitors': 'a limit for each site and minute',
  'server/http/body-budget.ts held': 'what one body holds: its networks and the process, four at most',
  'server/http/downloads.ts running': 'downloads, each in a slot of the process',
  'server/http/websocket/frame-lengths.ts head': 'the head of one frame: 14 bytes',
  'server/http/web-app.ts files': 'the files of the built app',
  'server/http/websocket/websocket.ts sockets': 'sockets, which have limits by account and by address',
  'server/queue/steps.ts lines': 'one line of each kind, until it is written',
  'server/queue/steps.ts progress': 'the four fields of the progress of one step',
  'server/queue/worker.ts loops': 'the loops of the worker',
  'server/queue/worker.ts running': 'one job for a loop',
  'server/queue/worker.ts sleepers': 'the loops of the worker',
  'server/plans/payments/stripe/catalog.ts prices': 'one for each plan that is sold',
  'server/plans/payments/stripe/catalog.ts products': 'two for each plan at the most',
  'server/publishing/platforms/git/pace.ts times': '70 requests of one release, gone with its job',
  'server/publishing/platforms/oauth.ts registry': 'one for each provider that the operator has registered with',
  'server/publishing/platforms/netlify/publish.ts required': 'what one deploy asks for, gone with its job',
  'server/lib/egress/vendor-requests.ts headers': 'the headers of one answer, which our client limits',
  'server/lib/visitor-set.ts registers': '4,096 bytes',
  'server/lib/visitor-set.ts seen': '455 hashes of 60 bytes',
  'server/publishing/platforms/netlify/files.ts manifest':
    'the files of one release: 20,000 at most, gone with its request',
  'server/publishing/platforms/send-files.ts queue': 'the files that one release sends at once, gone with its job',
  'server/lib/rate-counters.ts counts': 'the keys of one window, thrown away at its end',
  'server/lib/rate-counters.ts heldByKey':
    'one for each disk and process, and for each address that sends something right now',
  'server/lib/rate-counters.ts queue': 'the queue length of the key: 200 calls that wait at most',
  'server/lib/rate-counters.ts slotsByKey': 'slots that are held, each by a request or a connection',
  'server/lib/rate-counters.ts windows': 'one for each length of a window, thrown away at its end',
  'server/lib/crypto/secrets.ts keys': 'the keys of one file of the operator',
  'server/lib/crypto/secrets.ts derived': 'one for each purpose and key',
  'server/account-data/export.ts corrupted': 'files of one export, of which an account has one at a time',
  'server/analytics/time-range.ts byTime': '24 hours',
  'server/analytics/time-range.ts hours': '24 hours',
  'server/analytics/time-range.ts labels': '396 days',
  'server/store/corruption.ts noticed': '10,000 hashes of 100 bytes',
  'server/account/event-stream.ts items': 'a page of 200 events and the steps that moved, until they are sent',
  'server/account/event-stream.ts steps': 'the running steps of an account, until they are sent',
  'server/account/event-stream.ts sentLines': '200 steps: an id and a number, 100 bytes',
  'server/store/garbage.ts readLists': '10,000 hashes of 100 bytes',
  'server/store/garbage.ts unreadable': '10,000 accounts, then the run ends',
  'server/publishing/publication/verification/compare-answers.ts seen':
    'a bit for each file of one release, gone with its job',
  'server/publishing/publication/publish.ts changed': 'the files of one release: 20,000 at most, gone with its job',
  'server/publishing/publication/release-work.ts lists': 'the lists of files that one job reads, gone with it',
  'server/connections/platform-call.ts options': 'the options of one deployment, which have a schema',
  'server/publishing/publication/verification/verified-files.ts lists':
    'the lists of files that one verification reads, gone with its job',
  'server/publishing/publication/verification/verified-files.ts lost':
    'the corrupted files of one release, gone with its job',
  'server/publishing/uploads/remember.ts absent': 'the hashes of one request: 20,000 at most, gone with it',
  'server/publishing/uploads/remember.ts byHash': 'the files of one request: 20,000 at most, gone with it',
  'server/publishing/uploads/entries.ts cache':
    '16 lists of 20,000 files at most: a hash and a size for each, 4 MiB a list',
  'server/publishing/inspection/inspection.worker.ts files': 'the files of one release: 20,000 at most, in its thread',
  'server/publishing/inspection/inspection.worker.ts looks':
    'some more than 200,000 links of one release, in a thread with 256 MB, gone with its job',
  'server/publishing/inspection/inspector.ts looks': 'of 256 KiB of texts, gone with the job',
  'server/lib/thread/thread.ts execArgv': 'always empty',
  'server/lib/thread/thread.ts messages':
    'the slabs of an archive, which the thread gets back before it sends more, or one answer',
  'server/host/sites-addresses.ts found': 'the addresses of one answer of a name server',
  'server/boot/shutdown-stack.ts started': 'the parts of the program',
  'server/http/transport/http1-unread.ts readers': 'connections, which have limits in all and by address',
  'server/http/transport/requests-in-flight.ts inFlight': 'clients with a request in hand; connections have limits',
  'server/http/transport/unread-budget.ts all': 'two: HTTP/1.1 and HTTP/2',
  'server/http/transport/http2-response.ts held': 'the body of one answer, or two pieces of it',
  'server/http/transport/http2.ts answering': 'the streams of one session: 100 at once',
  'server/http/transport/http2.ts sessions': 'connections, which have limits in all and by address',
  'server/http/transport/http2.ts waiting': 'the requests of one session, which ends after 1,000',
};

/** A WeakMap is none: its entries end with their keys, which somebody else holds. */
const COLLECTIONS = /^(?:Map|Set|LRUCache|SharedArrayBuffer|(?:[A-Z][a-z]+\d*(?:Clamped)?)?Array)$/;
const COLLECTION_CALLS = /^(?:Buffer\.alloc|Array\.from\b|Array\(|Object\.(?:create|fromEntries)\b)/;
/** Functions that make something which lives on, whatever they return. */
const MAKER = /^(?:create|notice|open|remember|watch)[A-Z]/;
const CONSTANT = /^[A-Z][A-Z_0-9]*$/;

function isCollection(value: ts.Expression | undefined): boolean {
  if (value === undefined) return false;
  if (ts.isParenthesizedExpression(value) || ts.isAsExpression(value) || ts.isSatisfiesExpression(value)) {
    return isCollection(value.expression);
  }
  if (ts.isConditionalExpression(value)) {
    return [value.whenTrue, value.whenFalse].some((branch) => !isEmptyLiteral(branch) && isCollection(branch));
  }
  if (ts.isBinaryExpression(value)) return isCollection(value.right);
  if (ts.isNewExpression(value)) return COLLECTIONS.test(value.expression.getText());
  if (ts.isCallExpression(value)) return COLLECTION_CALLS.test(value.getText());
  return isEmptyLiteral(value);
}

/** `[]`, or `{}` that serves as a map. */
function isEmptyLiteral(value: ts.Expression | undefined): boolean {
  if (value === undefined) return false;
  if (ts.isArrayLiteralExpression(value)) return value.elements.length === 0;
  return ts.isObjectLiteralExpression(value) && value.properties.length === 0;
}

type Holder = ts.VariableDeclaration | ts.PropertyDeclaration | ts.PropertyAssignment;

/** The variables and fields that are given a collection after they were declared. */
function assignedIn(file: ts.SourceFile): ReadonlySet<string> {
  const assigned = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (
      ts.isBinaryExpression(node) &&
      /^(?:\?\?|\|\|)?=$/.test(node.operatorToken.getText()) &&
      isCollection(node.right)
    ) {
      assigned.add(node.left.getText().replace(/^this\./, ''));
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return assigned;
}

/** A variable, a field of a class or a property of an object that holds a collection. */
function isHolder(node: ts.Node, assigned: ReadonlySet<string>): node is Holder {
  if (!ts.isVariableDeclaration(node) && !ts.isPropertyDeclaration(node) && !ts.isPropertyAssignment(node))
    return false;
  const name = node.name.getText();
  if (CONSTANT.test(name) || ts.isObjectBindingPattern(node.name)) return false;
  return isCollection(node.initializer) || (!ts.isPropertyAssignment(node) && assigned.has(name));
}

function functionAround(node: ts.Node): ts.SignatureDeclaration | undefined {
  let at: ts.Node | undefined = node.parent;
  while (at !== undefined && !ts.isFunctionLike(at)) at = at.parent;
  return at;
}

/**
 * Returns whether a value is a function, or an object that has one: variables that it closes over live as long as it
 * does.
 */
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

/** Returns whether a function returns functions of its own. */
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

/** Returns whether an object stands in for a missing entry of a map, and is about to become that entry. */
function standsIn(object: ts.Node): boolean {
  const { parent } = object;
  return ts.isBinaryExpression(parent) && parent.right === object && /\.get\([^)]*\)$/.test(parent.left.getText());
}

function nameOf(maker: ts.SignatureDeclaration | undefined): string {
  return maker?.name?.getText() ?? '';
}

function livesOn(holder: Holder): boolean {
  const maker = functionAround(holder);
  if (ts.isPropertyDeclaration(holder)) return true;
  if (ts.isPropertyAssignment(holder)) {
    // An object may go anywhere; an empty literal in one outside all functions is data.
    if (!isEmptyLiteral(holder.initializer) || standsIn(holder.parent)) return true;
    if (maker === undefined) return false;
  }
  return maker === undefined || MAKER.test(nameOf(maker)) || givesFunctions(maker);
}

/**
 * Returns the long-lived values of a file, by the name of the variable that holds them, or of the function that makes
 * them for others.
 */
function keptIn(path: string, text: string): Map<string, ts.Node> {
  const file = parse(path, text);
  const assigned = assignedIn(file);
  const kept = new Map<string, ts.Node>();
  const visit = (node: ts.Node): void => {
    if (isHolder(node, assigned) && livesOn(node)) kept.set(`${path} ${node.name.getText()}`, node);
    if (ts.isReturnStatement(node) && isCollection(node.expression)) {
      const maker = nameOf(functionAround(node));
      if (MAKER.test(maker)) kept.set(`${path} ${maker}`, node);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return kept;
}

const KEPT = new Map([...readSources(['server', 'routers'])].flatMap(([path, text]) => [...keptIn(path, text)]));

/** Returns whether a cache is limited by the number of its entries, however heavy each of them is. */
function isCountedOnly(node: ts.Node): boolean {
  return /new LRUCache\b/.test(node.getText()) && !/\bmaxSize:/.test(node.getText());
}

test('every map, set and list that outlives a call has a bound', () => {
  expect([...KEPT.keys()].filter((one) => BOUNDS[one] === undefined)).toEqual([]);
  expect(Object.keys(BOUNDS).filter((one) => !KEPT.has(one))).toEqual([]);
});

test('a cache with a number of entries alone says what one of them weighs', () => {
  const counted = [...KEPT].flatMap(([one, node]) => (isCountedOnly(node) ? one : []));
  expect(counted.filter((one) => !/\d bytes|\d [KM]i?B|weight/.test(BOUNDS[one] ?? ''))).toEqual([]);
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
  ['const held = new WeakMap<object, string>();', 0],
  ['function createThing() {\n  const shards = Array.from({ length: 9 }, () => new Map());\n}', 1],
  ['const rows = Array(9);', 1],
  ['const counts = new Float64Array(9);', 1],
  ['const byName: Record<string, string> = Object.create(null);', 1],
  ['const byName: Record<string, string> = {};', 1],
  ['function createThing() {\n  const byName = {};\n}', 1],
  ['function readThing() {\n  const byName = {};\n}', 0],
  ['const rows = [] as string[];', 1],
  ['const cache = SIZE > 0 ? new Map() : null;', 1],
  ['function take(key) {\n  const slot = slots.get(key) ?? { taken: 0, queue: [] };\n}', 1],
  ['function take(key) {\n  const slot = slots.get(key) ?? { taken: 0, byName: {} };\n}', 1],
  ['function read(options) {\n  const { rows } = options ?? { rows: [] };\n}', 0],
  ['let rows: string[];\nfunction reset() {\n  rows = [];\n}', 1],
  ['let seen: Set<string> | undefined;\nfunction remember() {\n  seen ??= new Set();\n}', 1],
  ['class Thing {\n  seen: Set<string>;\n  constructor() {\n    this.seen = new Set();\n  }\n}', 1],
  ['function rememberThings() {\n  return new LRUCache({ max: 9 });\n}', 1],
])('planted: %s', (text, count) => {
  expect(keptIn('server/planted.ts', text).size).toBe(count);
});

test('planted: a cache by weight, and one by count', () => {
  const text = 'const a = new LRUCache({ maxSize: 9, sizeCalculation });\nconst b = new LRUCache({ max: 9 });';
  expect([...keptIn('planted.ts', text).values()].map(isCountedOnly)).toEqual([false, true]);
});

/** The first call brings in the tables of ICU: six megabytes, and twenty milliseconds of a start. */
test('no module formats numbers, days or lists while it is loaded', () => {
  const found = findNodes(
    readSources(['server', 'routers']),
    [],
    (node) =>
      ts.isIdentifier(node) &&
      /^(?:Intl|toLocale\w+|localeCompare)$/.test(node.text) &&
      ts.findAncestor(node, ts.isFunctionLike) === undefined,
  );
  expect(found).toEqual([]);
});
