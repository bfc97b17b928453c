import { expect, test } from 'vitest';
import { type RankedProject, rankPlatforms } from '../../routers/rules/uploads/rank-platforms.ts';
import { PLATFORM_CAPABILITIES } from '../../routers/schemas/platforms/capabilities/index.ts';
import type { Needs } from '../../routers/schemas/recommendations.ts';

const MB = 1_000_000;
const SITE: RankedProject = {
  kind: 'plain',
  framework: null,
  isSinglePage: false,
  buildFolder: null,
  files: [...Array(213)]
    .map((_, index) => ({ path: `${index}.html`, sizeBytes: 20_000 }))
    .concat({
      path: 'film.mp4',
      sizeBytes: 4_140_000,
    }),
};

function order(project: RankedProject | null, needs: Needs = {}): string {
  return rankPlatforms(project, needs, false)
    .map(({ platform, fits }) => (fits ? platform : `(${platform})`))
    .join(' ');
}

const large = (sizeBytes: number): RankedProject => ({ ...SITE, files: [{ path: 'film.mp4', sizeBytes }] });
const many = (count: number): RankedProject => ({
  ...SITE,
  files: Array.from({ length: count }, (_, index) => ({ path: `${index}.html`, sizeBytes: 1 })),
});

test.each<[string, RankedProject | null, Needs, string]>([
  ['no files, no needs', null, {}, 'built-in netlify vercel github-pages render heroku replit'],
  ['a small site', SITE, {}, 'built-in netlify vercel github-pages render heroku replit'],
  ['files to be kept', SITE, { privateFiles: true }, 'built-in netlify vercel heroku replit (github-pages) (render)'],
  ['redirects', null, { redirects: true }, 'built-in netlify vercel heroku (github-pages) (render) (replit)'],
  ['a domain', SITE, { ownDomain: true }, 'built-in netlify vercel github-pages render heroku replit'],
  ['forms', null, { forms: true }, '(built-in) (netlify) (vercel) (github-pages) (render) (heroku) (replit)'],
  ['functions', null, { functions: true }, '(built-in) (netlify) (vercel) (github-pages) (render) (heroku) (replit)'],
  [
    'one page',
    { ...SITE, kind: 'built', isSinglePage: true },
    {},
    'built-in netlify vercel render github-pages heroku replit',
  ],
  ['120 MB', large(120 * MB), {}, 'built-in netlify vercel heroku replit (github-pages) (render)'],
  [
    'more than a free plan takes',
    { ...SITE, files: [...SITE.files, ...large(99 * MB).files] },
    {},
    'built-in netlify github-pages render vercel heroku replit',
  ],
  ['15,000 files', many(15_000), {}, 'built-in netlify github-pages render heroku replit (vercel)'],
  [
    'names that differ in capital letters alone',
    { ...SITE, files: ['Pair.v.html', 'Pair.V.html'].map((path) => ({ path, sizeBytes: 1 })) },
    {},
    'built-in vercel github-pages render heroku replit (netlify)',
  ],
  [
    'a name with #',
    { ...SITE, files: [{ path: 'c#.html', sizeBytes: 1 }] },
    {},
    'built-in vercel github-pages render heroku replit (netlify)',
  ],
])('%s', (_, project, needs, expected) => {
  expect(order(project, needs)).toBe(expected);
});

test('a domain goes elsewhere while the built-in host can be reached from its own computer only', () => {
  const first = (needs: Needs) => rankPlatforms(SITE, needs, true)[0]?.platform;
  expect(first({})).toBe('built-in');
  expect(first({ ownDomain: true })).toBe('netlify');
  const here = rankPlatforms(SITE, { ownDomain: true }, true).find(({ platform }) => platform === 'built-in');
  expect(here?.fits).toBe(true);
  expect(here?.reasons.map(({ text }) => text)).not.toContain('Your domain is set up from here.');
});

function reasonsOf(platform: string, project: RankedProject | null, needs: Needs = {}) {
  return rankPlatforms(project, needs, false).find((one) => one.platform === platform)?.reasons ?? [];
}

test.each([
  ['built-in', SITE, '214 files (limit 20,000); 8.4 MB (limit 1 GB); largest file 4.1 MB (limit 500 MB).', null],
  ['github-pages', SITE, '8.4 MB (limit 1 GB); largest file 4.1 MB (limit 100 MB).', '2026-07'],
  ['vercel', SITE, '214 files (limit 14,999); 8.4 MB (limit 1 GB).', '2026-03-02'],
  // A number above that of the limit would not be said to fit.
  ['heroku', large(510 * MB), '486 MB (limit 500 MB).', '2025'],
  ['netlify', SITE, 'Netlify states no limit. You have 214 files, 8.4 MB.', null],
] as const)('the arithmetic of %s is shown with its source', (platform, project, text, readOn) => {
  const reason = reasonsOf(platform, project).find((one) => one.text === text);
  expect(reason?.verdict).toBe('good');
  expect(reason?.source?.readOn ?? null).toBe(readOn);
});

test.each([
  ['vercel', many(15_001), '15,001 files (limit 14,999).', 'Leave out 2 files.'],
  [
    'github-pages',
    large(120 * MB),
    'film.mp4: largest file 114 MB (limit 100 MB).',
    'Make this file smaller, or leave it out.',
  ],
  // Both numbers in the units of the limit, so that they add up.
  ['heroku', large(600 * MB), '572 MB (limit 500 MB).', 'Leave out 72.2 MB.'],
  [
    'netlify',
    { ...SITE, kind: 'source', framework: 'Astro', buildFolder: 'dist' } as const,
    'This is Astro source, and Fairlead publishes finished files.',
    'Publish the folder “dist”.',
  ],
  [
    'netlify',
    { ...SITE, kind: 'source' } as const,
    'This is source, and Fairlead publishes finished files.',
    'Build it, and publish the folder that the build makes.',
  ],
  [
    'built-in',
    SITE,
    'Forms on a site published with Fairlead are not accepted by the built-in host.',
    'Use a form service instead.',
  ],
] as const)('%s does not fit, and what would have to change is said', (platform, project, text, change) => {
  expect(reasonsOf(platform, project, { forms: text.startsWith('Forms') })).toContainEqual(
    expect.objectContaining({ verdict: 'no', text, change }),
  );
});

test('each limit that a platform publishes is held against the files, at its edge', () => {
  for (const { platform } of rankPlatforms(SITE, {}, false)) {
    const { maxFiles, maxTotalBytes, maxFileBytes } = PLATFORM_CAPABILITIES[platform]?.limits ?? {};
    const fits = (project: RankedProject) =>
      rankPlatforms(project, {}, false).find((one) => one.platform === platform)?.fits;
    if (maxFiles !== undefined) expect([fits(many(maxFiles)), fits(many(maxFiles + 1))]).toEqual([true, false]);
    const most = maxFileBytes ?? maxTotalBytes;
    if (most !== undefined) expect([fits(large(most)), fits(large(most + 1))]).toEqual([true, false]);
  }
});

test('what does not fit says what would have to change, and what fits does not', () => {
  const asked = rankPlatforms(large(900 * MB), { redirects: true, privateFiles: true }, false);
  for (const { fits, reasons } of asked) {
    expect(reasons.some(({ change }) => change !== null)).toBe(!fits);
    expect(reasons.every(({ verdict, change }) => (verdict === 'no') === (change !== null))).toBe(true);
  }
});
