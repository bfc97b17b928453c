import { expect, test, vi } from 'vitest';
import { inspectUpload } from '../../routers/rules/uploads/upload-inspection.ts';
import { findLinks, mayHoldLinks } from '../../routers/rules/uploads/upload-links.ts';
import { readUpload } from '../../routers/rules/uploads/upload-rules.ts';
import { templateFiles } from '../../src/features/deployments/templates/template-files.ts';
import { TEMPLATES } from '../../src/features/deployments/templates/templates.ts';
import { DeploymentEditorScreen } from '../../src/screens/deployment-editor.tsx';
import { NewDeploymentScreen } from '../../src/screens/new-deployment.tsx';
import { type Answers, showScreen, typeInto } from '../support/screen.tsx';
import { allowanceOf, deploymentOf } from '../support/screen-fixtures.ts';

/** A page with all that it needs fits into the first round trip of a connection many times over (RFC 6928: 14 KB). */
const TEMPLATE_MAX_BYTES = 14_000;
const empty = deploymentOf({ state: 'draft', currentRelease: null, latestRelease: null, releaseCount: 0 });

/** Elements that a page itself fetches; links are followed by a person. */
const FETCHED = 'img, x-script, iframe, source, video, audio, x-link';

test.for(TEMPLATES)('the template $id is whole, asks no other server and breaks no rule', ({ id }) => {
  const texts = templateFiles(id);
  const files = [...texts].map(([path, text]) => ({ path, sizeBytes: new Blob([text]).size }));
  expect(readUpload(files)).toMatchObject({ refusal: null, leftOut: [] });
  const links = new Map(files.filter(mayHoldLinks).map(({ path }) => [path, findLinks(path, texts.get(path) ?? '')]));
  const looks = new Map([...links].map(([path, found]) => [path, { links: found, tokens: [], addresses: [] }]));
  expect(inspectUpload(files, texts, looks)).toMatchObject({ problems: [], rootLinks: null, entryPage: 'index.html' });
  expect(files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)).toBeLessThan(TEMPLATE_MAX_BYTES);
  for (const [path, text] of texts) {
    expect(text, path).not.toMatch(/url\(|@import|fetch\(|import\(/);
    if (path.endsWith('.html')) expect(faultsOf(text, texts), path).toEqual([]);
  }
});

/** Lists what a page lacks: the rules that need no layout (WCAG 2.2, 1.1.1, 1.3.1, 2.4.1, 2.4.2, 3.1.1). */
function faultsOf(html: string, texts: ReadonlyMap<string, string>): string[] {
  // A page of the test itself would fetch them.
  const page = new DOMParser().parseFromString(html.replace(/<(link|script)\b/g, '<x-$1'), 'text/html');
  const all = (selector: string) => [...page.querySelectorAll(selector)];
  const ids = all('[id]').map((one) => one.id);
  const levels = all('h1, h2, h3, h4').map((one) => Number(one.tagName[1]));
  const needed = [
    'html[lang]',
    'title',
    'meta[charset]',
    'meta[name="viewport"]',
    'meta[name="description"]',
    'main',
    'h1',
  ];
  return [
    ...needed.filter((selector) => all(selector).length !== 1),
    ...all('img').filter((one) => ['alt', 'width', 'height'].some((name) => !one.hasAttribute(name))),
    ...all(FETCHED).filter((one) => /^\w+:|^\/\//.test(one.getAttribute('src') ?? one.getAttribute('href') ?? '')),
    ...ids.filter((id, index) => ids.indexOf(id) !== index),
    ...levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1),
    ...all('a, button, summary').filter((one) => (one.textContent ?? '').trim() === ''),
    ...all('nav').filter((one) => !one.hasAttribute('aria-label')),
    ...all('[style], style, [onclick]'),
    ...all('a[href*="#"]').filter((one) => !leadsToPlace(one.getAttribute('href') ?? '', ids, texts)),
  ].map(String);
}

function leadsToPlace(target: string, ids: readonly string[], texts: ReadonlyMap<string, string>): boolean {
  const [path = '', id = ''] = target.split('#');
  return path === '' ? ids.includes(id) : (texts.get(path) ?? '').includes(`id="${id}"`);
}

test('a template becomes a deployment of the name that was typed, opened in the editor', async () => {
  const create = vi.fn(() => deploymentOf({ ...empty, id: 'notes', name: 'Notes' }));
  const answers: Answers = { 'subscription.allowance': () => allowanceOf(), 'deployments.create': create };
  const place = { pattern: '/new-deployment', path: '/new-deployment' };
  using shown = showScreen(<NewDeploymentScreen />, answers, place);
  await shown.sees('Start from a template');
  const blog = [...shown.page.querySelectorAll('button')].find((one) => one.textContent?.startsWith('Blog'));
  blog?.click();
  const dialog = await vi.waitFor(() => document.querySelector('[role=dialog]') ?? expect.fail());
  const field = typeInto(dialog, 'name', 'Notes');
  field.form?.requestSubmit();
  await shown.sees('Elsewhere');
  expect(create).toHaveBeenCalledWith(expect.objectContaining({ name: 'Notes', platform: 'built-in' }), undefined);
  expect(location.pathname + location.search).toBe('/deployment-editor/notes?template=blog');
});

test('the editor holds the files of the template of its address, where nothing was published', async () => {
  const answers: Answers = { 'subscription.allowance': () => allowanceOf(), 'deployments.get': () => empty };
  const place = { pattern: '/deployment-editor/:deploymentId', path: '/deployment-editor/harbour?template=link-page' };
  using shown = showScreen(<DeploymentEditorScreen />, answers, place);
  await shown.sees('4 new files');
  const tree = [...shown.page.querySelectorAll('[role=treeitem]')].map((item) => item.textContent);
  expect(tree).toEqual(['favicon.svgnew', 'index.htmlnew', 'portrait.svgnew', 'style.cssnew']);
  shown.button('Publish…').click();
  await vi.waitFor(() =>
    expect(document.body.textContent).toContain('Your site goes live once every file has been checked.'),
  );
  document.querySelector<HTMLButtonElement>('[role=dialog] footer button, [role=dialog] button')?.click();
  shown.button('Discard').click();
  await vi.waitFor(() =>
    expect(document.body.textContent).toContain('Nothing has been published yet, so all files are removed.'),
  );
});

test('the screen of a new deployment leads to the three other ways of publishing', () => {
  const place = { pattern: '/new-deployment', path: '/new-deployment' };
  using shown = showScreen(<NewDeploymentScreen />, {}, place);
  const ways = ['Quick Deploy', 'Guided Deployment', 'All-in-One Deployment'].map((name) => shown.linkTo(name));
  expect(ways).toEqual(['/quick-deploy', '/guided-deployment', '/unified-deployment']);
});
