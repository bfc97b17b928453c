import { expect, test } from 'vitest';
import type { PlatformId } from '../../routers/schemas/platforms/ids.ts';
import { costText } from '../../src/features/deployments/create/cost-text.ts';
import { isClear } from '../../src/features/deployments/create/quick-publish.ts';
import { planBlocker, usageText } from '../../src/features/deployments/plan-labels.ts';
import { readOnlyLabels } from '../../src/features/deployments/read-only-labels.ts';
import { type FindingsContext, findingsOf, selectionLine } from '../../src/features/deployments/select/findings.ts';
import { withStartPage } from '../../src/features/deployments/select/start-page-offer.tsx';
import { type SendingState, sendingSteps } from '../../src/features/releases/progress/sending-steps.tsx';
import {
  failedStep,
  sentText,
  servingText,
  stepProgress,
  stepResult,
} from '../../src/features/releases/release-labels.ts';
import { partTitle, runningTitle } from '../../src/features/releases/step-titles.ts';
import { formatAddress } from '../../src/lib/format.ts';
import { isLocalAddress } from '../../src/lib/local-address.ts';
import { isRollBackStep } from '../../src/lib/roll-back.ts';
import { inspectSelection, type SelectionReport } from '../../src/uploads/inspect.ts';
import { copyWithRelativeLinks, withRelativeLinks } from '../../src/uploads/relative-links.ts';
import { publishedPart } from '../../src/uploads/selection/apply-rules.ts';
import { isZip, type SelectedFolder, type Selection, type ZippedFile } from '../../src/uploads/selection/selection.ts';
import { allowanceOf } from '../support/screen-fixtures.ts';

function folder(files: Record<string, string>, name = 'photo-site'): SelectedFolder {
  return { name, files: Object.entries(files).map(([path, text]) => ({ path, file: new File([text], path) })) };
}

const publishedOf = ({ selection, publishAnyway }: SelectionReport) => publishedPart(selection, publishAnyway);

function pathsOf(picked: Selection | null): string[] {
  if (picked === null || isZip(picked)) expect.fail('no folder');
  return picked.files.map(({ path }) => path);
}

test('a folder is told in one line, with its entry page and what is left out', async () => {
  const report = await inspectSelection(folder({ 'index.html': '<h1>Hi</h1>', '.env': 'KEY=1', '.DS_Store': 'x' }));
  expect(selectionLine(report)).toBe('Static website, 1 file, 11 B');
  expect(findingsOf(report)).toMatchObject([
    { id: 'entry', kind: 'good', path: 'index.html' },
    { id: 'left-out', kind: 'secret', message: 'Private, and left out:', path: '.env' },
    { id: 'os-junk', kind: 'removed', message: '1 system file left out' },
  ]);
  expect(pathsOf(publishedOf(report))).toEqual(['index.html']);
});

test('of what is refused for a name, nothing is said of the files that were not read', async () => {
  const chosen = folder({ '../evil.html': 'x', 'index.html': 'x' });
  const entries = chosen.files.map(({ path, file }) => {
    return { path, sizeBytes: file.size, encoding: null, isLink: false, unpack: async () => file };
  });
  for (const selection of [chosen, { name: 'photo-site', zip: new File([], 'site.zip'), within: '', entries }]) {
    const report = await inspectSelection(selection);
    expect(findingsOf(report)).toMatchObject([{ id: 'refusal', kind: 'bad', path: '../evil.html' }]);
    expect(selectionLine(report)).toBe('2 files');
  }
});

test('a private file that is published anyway stays in the list, and a private key never is published', async () => {
  const report = await inspectSelection(folder({ 'index.html': 'x', '.env': 'KEY=1', 'server.key': 'k' }), [
    '.env',
    'server.key',
  ]);
  const [, leftOut] = findingsOf(report);
  expect(leftOut?.message).toBe('1 private file left out, 1 published anyway');
  expect(leftOut?.leftOut.map(({ path, isPublishable }) => [path, isPublishable])).toEqual([
    ['.env', true],
    ['server.key', false],
  ]);
  expect(pathsOf(publishedOf(report))).toEqual(['index.html', '.env']);
});

test('a folder that is left out as a whole is told once, and hides nothing else that is', async () => {
  const history = Object.fromEntries(Array.from({ length: 300 }, (_, number) => [`.git/objects/${number}`, 'x']));
  const files = { ...history, 'index.html': 'x', 'old/.env/a': 'x', 'old/.env/b': 'x', 'notes.bak': 'x' };
  const finding = findingsOf(await inspectSelection(folder(files))).find(({ id }) => id === 'left-out');
  expect(finding?.message).toBe('1 private file and 2 private folders left out');
  expect(finding?.leftOut.map(({ path, isPublishable, files }) => [path, isPublishable, files.length])).toEqual([
    ['.git', false, 300],
    ['notes.bak', true, 1],
    ['old/.env', true, 2],
  ]);
  const onlyHistory = findingsOf(await inspectSelection(folder({ 'index.html': 'x', '.git/a': 'x', '.git/b': 'x' })));
  expect(onlyHistory).toContainEqual(expect.objectContaining({ message: 'Private, and left out:', path: '.git' }));
});

test('the packages of a project are left out and told once, but not those that a build has put further in', async () => {
  const files = {
    'index.html': 'x',
    'node_modules/react/index.js': 'x',
    'node_modules/vue/index.js': 'x',
    'assets/node_modules/icons/font.ttf': 'x',
  };
  const report = await inspectSelection(folder(files));
  expect(pathsOf(publishedOf(report))).toEqual(['index.html', 'assets/node_modules/icons/font.ttf']);
  const found = findingsOf(report).filter(({ id }) => ['left-out', 'packages'].includes(id));
  expect(found.map(({ message, path, leftOut }) => [message, path, leftOut[0]?.files.length])).toEqual([
    ['Not part of the website, and left out:', 'node_modules', 2],
  ]);
  const anyway = await inspectSelection(folder(files), ['node_modules']);
  expect(pathsOf(publishedOf(anyway))).toHaveLength(4);
  expect(findingsOf(anyway).map(({ message }) => message)).toContain('Not part of the website, and published anyway:');
});

test('the start page of what still has to be built is no good news, and who cannot build is told whom to ask', async () => {
  const source = { 'package.json': '{"devDependencies":{"vite":"8"}}', 'index.html': '<script src="/src/main.tsx">' };
  const findings = findingsOf(await inspectSelection(folder({ ...source, 'src/main.tsx': 'x' })));
  expect(findings.map(({ id }) => id)).not.toContain('entry');
  expect(findings.find(({ id }) => id === 'needs_build')?.detail).toContain(
    'ask them for its built folder, usually called dist or build.',
  );
});

test('links that begin with a slash are a finding where the site is to be below a folder, and nowhere else', async () => {
  const report = await inspectSelection(folder({ 'index.html': '<link href="/style.css">', 'style.css': 'p {}' }));
  expect(findingsOf(report).map(({ id }) => id)).toEqual(['entry']);
  expect(findingsOf(report, { folder: 'things' })).toMatchObject([
    { id: 'entry' },
    { id: 'root_link', kind: 'warn', message: '1 link begins with a slash.' },
  ]);
});

test('links of a site that was built for a folder are a finding wherever else it is to be', async () => {
  const page = '<base href="/things/"><script src="/things/a.js"></script><a href="/things">a</a>';
  const report = await inspectSelection(
    folder({ 'index.html': page, 'a.js': 'x', 'css/b.css': 'p { background: url(/things/c.png) }', 'c.png': 'x' }),
  );
  expect(isClear(report)).toBe(false);
  const at = (place: FindingsContext) => findingsOf(report, place).filter(({ kind }) => kind === 'warn');
  expect(at({ folder: 'things' })).toEqual([]);
  for (const [place, said] of [
    ['', /at the root of its address/],
    ['other', /below \/other\/,/],
    [null, /only in a repository called things/],
  ] as const) {
    const told = { id: 'folder_link', message: '4 links begin with /things/.', detail: expect.stringMatching(said) };
    expect(at({ folder: place })).toMatchObject([told]);
  }
  const copy = await copyWithRelativeLinks(report);
  expect(await copy.files[0]?.file.text()).toBe('<base href="./"><script src="./a.js"></script><a href="./">a</a>');
  expect(await copy.files.find(({ path }) => path.endsWith('.css'))?.file.text()).toBe(
    'p { background: url(../c.png) }',
  );
});

test('packed files are a finding for the platforms that do not say so to browsers, and for no other', async () => {
  const report = await inspectSelection(
    folder({ 'index.html': 'x', 'Build/a.wasm.br': 'x', 'b.svgz': 'x', 'c.tar.gz': 'x', 'd.data.gz': 'x' }),
  );
  const at = (...platforms: PlatformId[]) => findingsOf(report, { platforms }).filter(({ id }) => id === 'packed');
  expect(at('built-in', 'vercel', 'heroku')).toEqual([]);
  expect(at('built-in', 'netlify', 'github-pages', 'render')).toMatchObject([
    {
      message: 'Browsers cannot read 2 compressed files at Netlify, GitHub Pages, and Render.',
      detail: expect.stringMatching(/^Build\/a\.wasm\.br, b\.svgz\. .*Decompression Fallback/),
    },
  ]);
});

test('lines of _redirects that are not followed are a finding, but where the platform reads them by itself', async () => {
  const report = await inspectSelection(folder({ 'index.html': 'x', _redirects: 'https://a.test/* /:splat' }));
  const isTold = (...platforms: PlatformId[]) =>
    findingsOf(report, { platforms }).some(({ id }) => id === 'rule_ignored _redirects');
  expect([isTold(), isTold('built-in'), isTold('vercel', 'netlify'), isTold('netlify')]).toEqual([
    true,
    true,
    true,
    false,
  ]);
});

test('a folder of the site itself, and one that is not there at all, is none that it was built for', async () => {
  for (const files of [
    { 'index.html': '<img src="/img/a.png">', 'img/a.png': 'x' },
    { 'index.html': '<img src="/img/a.png">' },
  ]) {
    const report = await inspectSelection(folder(files));
    expect(report.inspection.rootLinks?.folder).toBeNull();
    expect(findingsOf(report, { folder: 'img' }).map(({ id }) => id)).toContain('root_link');
  }
});

test.each([
  [
    'index.html',
    '<a href="/">a</a><img src=/a.png srcset="/b.png 1x, c.png 2x">',
    '<a href="./">a</a><img src=./a.png srcset="./b.png 1x, c.png 2x">',
  ],
  [
    'blog/one/index.html',
    '<link href="/s.css?v=1"><a href="//cdn.example.com/x"> /no',
    '<link href="../../s.css?v=1"><a href="//cdn.example.com/x"> /no',
  ],
  [
    'css/a.css',
    'p { background: url( "/a.png" ) } /* url(/no.png) */',
    'p { background: url( "../a.png" ) } /* url(/no.png) */',
  ],
  [
    'a.html',
    '<base href="/"><img src="/a.png"><p style="background:url(/b.png)">',
    '<base href="./"><img src="./a.png"><p style="background:url(./b.png)">',
  ],
  ['a/b.html', '<base href="/app/"><img src="/a.png">', '<base href="../app/"><img src="../a.png">'],
  [
    'a.html',
    '<base href="https://cdn.example.com"><img src="/a.png">',
    '<base href="https://cdn.example.com"><img src="/a.png">',
  ],
  [
    'a.html',
    '<script>go("/x")</script><style>p { background: url(/y.png) }</style>',
    '<script>go("/x")</script><style>p { background: url(./y.png) }</style>',
  ],
  [
    'a/b.html',
    '<base href="./"><img src="/a.png"><meta http-equiv="refresh" content="0; url=/de/"><meta name="d" content="0; url=/x">',
    '<base href="./"><img src="../a.png"><meta http-equiv="refresh" content="0; url=../de/"><meta name="d" content="0; url=/x">',
  ],
  ['a/b.html', '<base href="../"><use xlink:href="/i.svg#x">', '<base href="../"><use xlink:href="./i.svg#x">'],
  [
    'a/b.html',
    '<template><a href="/c.html"></template><noscript><link href="/d.css"></noscript><!-- <a href="/e"> -->',
    '<template><a href="../c.html"></template><noscript><link href="../d.css"></noscript><!-- <a href="/e"> -->',
  ],
  [
    'a/b.html',
    '<script type="module">import "/x.js"; const p = "/x.js";</script><script type="importmap">{"imports":{"y":"/y.js","z/":"/z/"}}</script>',
    '<script type="module">import "../x.js"; const p = "/x.js";</script><script type="importmap">{"imports":{"y":"../y.js","z/":"../z/"}}</script>',
  ],
  [
    'js/app.mjs',
    "import a, { b } from '/js/b.js';export*from\"/c.mjs?v=1\";import('/d.js');import './e.js';say('from \"/home\"')",
    "import a, { b } from '../js/b.js';export*from\"../c.mjs?v=1\";import('../d.js');import './e.js';say('from \"/home\"')",
  ],
])('links of %s are written from where it is: %s', (path, text, expected) => {
  expect(withRelativeLinks(path, text).text).toBe(expected);
});

test('a copy with relative links has every other byte as it was, and says what was done', async () => {
  const page = new Uint8Array([...Buffer.from('<link href="/style.css">\n'), 0xe4, 0xff, 0x80]);
  const files = [
    { path: 'site/blog/index.html', file: new File([page], 'index.html', { lastModified: 1 }) },
    { path: 'site/index.html', file: new File(['x'], 'index.html') },
    { path: 'site/.env', file: new File(['/'], '.env') },
  ];
  const report = await inspectSelection({ name: '', files });
  const copy = await copyWithRelativeLinks(report);
  expect(copy.files.map(({ path }) => path)).toEqual(files.map(({ path }) => path));
  const [written = expect.fail('The copy is empty'), ...others] = copy.files;
  expect(Buffer.from(await written.file.arrayBuffer())).toEqual(
    Buffer.concat([Buffer.from('<link href="../style.css">\n'), Buffer.from([0xe4, 0xff, 0x80])]),
  );
  expect(written.file.lastModified).toBeGreaterThan(1);
  expect(others.map(({ file }) => file)).toEqual(files.slice(1).map(({ file }) => file));
  const again = findingsOf(await inspectSelection(copy), { folder: 'things' });
  expect(again.map(({ id }) => id)).not.toContain('root_link');
  expect(again.find(({ id }) => id === 'relative-links')?.message).toMatch(
    /^1 link rewritten without the leading slash/,
  );
});

test('what a ZIP says of its files is said of a copy with relative links as well: a link is none of them', async () => {
  const entry = (path: string, text: string, isLink: boolean): ZippedFile => {
    const sizeBytes = text.length;
    return { path, sizeBytes, encoding: 'cp437', isLink, unpack: async () => new File([text], path) };
  };
  const entries = [entry('index.html', '<link href="/a.css">', false), entry('secret.txt', '/etc/passwd', true)];
  const report = await inspectSelection({ name: 'site', zip: new File([], 'site.zip'), within: '', entries });
  const { reading } = await inspectSelection(await copyWithRelativeLinks(report));
  expect(reading.files.map(({ path }) => path)).toEqual(['index.html']);
  expect(reading.leftOut).toEqual(report.reading.leftOut);
  expect(reading.notices).toEqual(report.reading.notices);
});

test('a private key is left out by its content, and a public one is published', async () => {
  const files = {
    'index.html': 'x',
    'gpg.key': '-----BEGIN PGP PUBLIC KEY BLOCK-----',
    'id.pem': '-----BEGIN PRIVATE KEY-----',
    'sec.asc': '-----BEGIN PGP PRIVATE KEY BLOCK-----',
  };
  const report = await inspectSelection(folder(files), ['id.pem']);
  expect(findingsOf(report).find(({ id }) => id === 'left-out')).toMatchObject({
    message: '2 private files left out',
    leftOut: [{ path: 'id.pem', isPublishable: false }, { path: 'sec.asc' }],
  });
  expect(pathsOf(publishedOf(report))).toEqual(['index.html', 'gpg.key']);
});

test('names that are published as they are, and mean trouble elsewhere, are named', async () => {
  const report = await inspectSelection(folder({ 'index.html': 'x', 'Index.html': 'y', 'aux.html': 'z', '.x': '' }));
  expect(findingsOf(report).filter(({ kind }) => kind === 'warn')).toMatchObject([
    { id: 'windows_name', message: '1 name does not work on Windows.', detail: expect.stringMatching(/^aux\.html\. /) },
    { id: 'case_twin', detail: expect.stringMatching(/^index\.html, Index\.html\. /) },
    { id: 'hidden_name', message: '1 hidden file has no address.' },
  ]);
});

test('the finished folder inside takes the place of the source around it', async () => {
  const source = { 'package.json': '{"devDependencies":{"vite":"8"}}', 'dist/index.html': 'x', 'dist/a.js': 'y' };
  const report = await inspectSelection(folder(source, 'app'));
  expect(report.inspection.kind).toBe('source');
  expect(pathsOf(report.buildFolder)).toEqual(['index.html', 'a.js']);
  expect((await inspectSelection(folder({ 'index.html': 'x', 'dist/index.html': 'y' }))).buildFolder).toBeNull();
  // Vite's first page stands beside its source.
  const vite = { 'index.html': '<script src="/src/main.tsx">', 'src/main.tsx': 'x', 'dist/index.html': 'y' };
  expect(pathsOf((await inspectSelection(folder(vite))).buildFolder)).toEqual(['index.html']);
  const inner = { 'notes.txt': 'x', 'site/bakery/index.html': 'y', 'site/bakery/a.js': 'z' };
  expect(pathsOf((await inspectSelection(folder(inner))).buildFolder)).toEqual(['index.html', 'a.js']);
  // The start page is there, under another name.
  const named = { 'Index.html': 'x', 'blog/index.html': 'y' };
  expect((await inspectSelection(folder(named))).buildFolder).toBeNull();
});

test('what is left out of the finished folder is told of it as well, and can be published from there', async () => {
  const files = { 'package.json': '{"devDependencies":{"vite":"8"}}', 'dist/index.html': 'x', 'dist/prices.sql': 'y' };
  const { buildFolder } = await inspectSelection(folder(files, 'app'));
  if (buildFolder === null) expect.fail('no finished folder');
  const { reading } = await inspectSelection(buildFolder);
  expect(reading.leftOut).toMatchObject([{ path: 'prices.sql', isPublishable: true }]);
  expect(pathsOf(publishedPart(buildFolder, ['prices.sql']))).toEqual(['index.html', 'prices.sql']);
});

const allowance = allowanceOf({ plan: 'STANDARD', deploymentLimit: 3, remaining: 1 });

test('the plan says what is used, what it costs, and what stands in the way', () => {
  expect(usageText(allowance)).toBe('2 of 3 deployments used on Standard');
  expect(costText(allowance)).toBe('3 of 3 deployments on Standard will be used.');
  expect(planBlocker(allowance)).toBeNull();
  expect(planBlocker({ ...allowance, deploymentCount: 3 })?.title).toBe('Standard allows 3 deployments');
  const deleting = (count: number) => planBlocker({ ...allowance, deploymentCount: count })?.text.split(' or ')[1];
  expect(deleting(3)).toBe('delete 1 deployment that you no longer need.');
  expect(deleting(5)).toBe('delete 3 deployments that you no longer need.');
  const free = { ...allowance, plan: 'free', deploymentLimit: 0, deploymentCount: 0, isTrialAvailable: true } as const;
  expect(planBlocker(free)?.action).toBe('See the trial');
  const used = { ...free, isTrialAvailable: false } as const;
  expect(planBlocker(used)).toMatchObject({
    title: 'No plan is active',
    text: 'The free trial was used. Choose a plan to publish.',
  });
  expect(planBlocker({ ...used, deploymentCount: 1 })?.text).toContain('Choose a plan to publish again.');
  expect(readOnlyLabels(free)).toEqual({ text: 'Start the free trial to publish again.', action: 'See the trial' });
  expect(readOnlyLabels({ ...free, isTrialAvailable: false }).text).toBe('A plan is needed to publish again.');
  const coming = { ...free, comingPayment: { id: 'coming', plan: 'PRO' } } as const;
  expect(readOnlyLabels(coming)).toEqual({ text: 'Your payment for Pro is on its way.', action: 'See the plans' });
});

test('a page under another name becomes the start page of a copy, and keeps the old name where links may use it', async () => {
  for (const [name, paths] of [
    ['start.html', ['style.css', 'start.html', 'index.html']],
    ['Index.HTML', ['style.css', 'index.html']],
  ] as const) {
    const report = await inspectSelection(folder({ 'style.css': 'b{}', [name]: '<h1>Hi</h1>' }));
    const [problem] = report.inspection.problems;
    const copy = withStartPage(report, problem?.path ?? '');
    expect(copy?.files.map(({ path }) => path.split('/').at(-1))).toEqual(paths);
    expect((await inspectSelection(copy ?? expect.fail())).inspection.entryPage).toBe('index.html');
  }
});

test('a step says what it is, how far it is and where it stopped', () => {
  expect(runningTitle('processing')).toBe('Sending');
  expect(runningTitle('verifying')).toBe('Checking');
  expect(stepProgress({ done: 118, total: 214, doneBytes: 5_100_000, totalBytes: 8_400_000 })).toEqual({
    files: '118 of 214 files',
    bytes: '5.1 of 8.4 MB',
    fraction: 5.1 / 8.4,
  });
  expect(stepProgress({ done: 0, total: 0, doneBytes: 0, totalBytes: 0 })).toBeNull();
  expect(
    failedStep([
      { name: 'preparing', state: 'done' },
      { name: 'uploading', state: 'failed' },
    ]),
  ).toBe('uploading');
  expect(servingText(7)).toBe('Release 7 is still live.');
  expect(formatAddress('http://photo-site.localhost:3001/')).toBe('photo-site.localhost:3001');
  const addresses = ['http://photo-site.localhost:3001/', 'https://localhost.example.com', 'https://notlocalhost', ''];
  expect(addresses.filter(isLocalAddress)).toEqual(['http://photo-site.localhost:3001/']);
});

test('what was sent of all the files is told in numbers', () => {
  expect(sentText(2, 9_000, 3)).toBe('2 of 5 files sent, 9 KB');
  expect(sentText(1, 9_000, 1)).toBe('1 of 2 files sent, 9 KB');
  expect(sentText(5, 9_000, 0)).toBe('5 files sent, 9 KB');
  expect(sentText(0, 0, 214)).toBe('Every file was there already');
});

test('a finished step tells what was really sent, and claims nothing where nobody has counted it', () => {
  const counted = { total: 5, totalBytes: 9_000, doneBefore: null, doneBytesBefore: null };
  expect(stepResult({ name: 'uploading', ...counted })).toBe('5 files in place, 9 KB');
  const some = { ...counted, doneBefore: 3, doneBytesBefore: 8_000 };
  expect(stepResult({ name: 'uploading', ...some })).toBe('2 of 5 files sent, 1 KB');
  expect(stepResult({ name: 'verifying', ...counted })).toBe('5 files match your upload');
  expect(stepResult({ name: 'processing', ...counted, total: 0, totalBytes: 0 })).toBe(null);
});

test('a publication fails in the step in which it stopped, and of a ZIP its own bytes are counted', () => {
  const publication: SendingState = {
    selection: folder({}),
    state: 'failed',
    progress: {
      phase: 'sending',
      filesDone: 1,
      filesTotal: 2,
      bytesDone: 1,
      bytesTotal: 2,
      filesThere: 0,
      isWaiting: false,
    },
    result: null,
  };
  const states = (one: SendingState) => sendingSteps(one).map(({ state }) => state);
  expect(states(publication)).toEqual(['failed', 'waiting', 'waiting']);
  const sentBefore = { ...publication, state: 'creating', progress: null } as const;
  expect(
    states({ ...sentBefore, result: { sentFiles: 2, sentBytes: 2, leftOut: [] } }),
    'an earlier page read and sent it',
  ).toEqual(['running', 'waiting', 'waiting']);
  expect(states({ ...publication, state: 'sending', progress: null })).toEqual(['running', 'waiting', 'waiting']);
  const text = (one: SendingState) => sendingSteps(one)[0]?.body;
  const zipped = {
    ...publication,
    selection: { name: 'site', zip: new File([], 'site.zip'), within: '', entries: [] },
  };
  expect(text(publication)).toMatchObject({ props: { text: '1 of 2 files, 1 of 2 B' } });
  expect(text(zipped)).toMatchObject({ props: { text: '1 of 2 files, 1 of 2 B of the ZIP' } });
  const result = { sentFiles: 2, sentBytes: 2, leftOut: [] };
  expect(text({ ...zipped, result })).toMatchObject({ props: { text: '2 files sent, 2 B as a ZIP' } });
});

test('a step that runs for a roll back says so, and no other does', () => {
  const finishedAt = new Date('2030-01-01T10:00:00Z');
  const [before, after] = [new Date('2030-01-01T09:59:58Z'), new Date('2030-01-01T12:00:00Z')];
  const look = { name: 'verifying', startedAt: before } as const;
  expect(isRollBackStep(look, { state: 'live', finishedAt })).toBe(false);
  expect(isRollBackStep({ ...look, startedAt: after }, { state: 'live', finishedAt })).toBe(true);
  expect(isRollBackStep({ ...look, startedAt: null }, { state: 'verifying', finishedAt })).toBe(true);
  expect(isRollBackStep({ ...look, startedAt: null }, { state: 'failed', finishedAt })).toBe(false);
  expect(isRollBackStep(look, { state: 'verifying', finishedAt: null })).toBe(false);
  expect(isRollBackStep({ name: 'uploading', startedAt: after }, { state: 'live', finishedAt })).toBe(false);
  expect(runningTitle('verifying', true)).toBe('Switching back to this release');
  expect(partTitle('switching', 'done', true)).toBe('Switched back to this release');
});
