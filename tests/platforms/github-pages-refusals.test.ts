import { expect, test } from 'vitest';
import { OTHER_DOMAIN } from '../../server/publishing/platforms/failures.ts';
import { platformHarness, published } from '../support/platform-harness.ts';
import { refusalSuite } from '../support/platform-refusals.ts';
import type { Fault } from '../support/standins/faults.ts';
import { initialize, newRepository, OWNER } from '../support/standins/github-pages/state.ts';
import { githubUnderTest } from '../support/standins/github-pages/world.ts';

function said(status: number, message: string, headers: Record<string, string> = {}, errors?: unknown): Fault {
  const body = { message, errors, documentation_url: 'https://docs.github.com/rest' };
  return { how: 'status', status, headers, body };
}

const TOKENS = 'https://github.com/settings/tokens';
const BILLING = 'https://github.com/settings/billing';
const PAGES = {
  credentials_invalid: TOKENS,
  permission_missing: TOKENS,
  payment_required: BILLING,
  plan_limit: BILLING,
};

/** docs.github.com: "Troubleshooting the REST API", "Rate limits", "GitHub Pages"; issues of octokit and of this API. */
refusalSuite('GitHub Pages', githubUnderTest, PAGES, [
  ['look', said(401, 'Bad credentials'), 'credentials_invalid'],
  [
    'site',
    said(403, 'Resource not accessible by personal access token', {
      'x-accepted-github-permissions': 'administration=write',
    }),
    'permission_missing',
    { says: 'Resource not accessible by personal access token (it needs administration=write)' },
  ],
  [
    'site',
    said(404, 'Not Found', { 'x-oauth-scopes': 'gist', 'x-accepted-oauth-scopes': 'public_repo, repo' }),
    'permission_missing',
    { says: 'Not Found (it needs the scope public_repo or repo)' },
  ],
  [
    'site',
    said(422, 'Repository creation failed.', {}, [
      { resource: 'Repository', field: 'name', code: 'custom', message: 'name already exists on this account' },
    ]),
    'name_taken',
    { says: 'Repository creation failed. name already exists on this account' },
  ],
  ['site', said(422, 'Your current plan does not support GitHub Pages for this repository.'), 'plan_limit'],
  ['site', said(403, 'Upgrade to GitHub Pro or make this repository public to enable this feature.'), 'plan_limit'],
  ['site', said(403, 'Your account is locked due to a billing issue.'), 'payment_required'],
  [
    'site',
    said(403, 'Resource protected by organization SAML enforcement.'),
    'permission_missing',
    'Authorize the token for the organization',
  ],
  [
    'upload',
    said(403, 'You have exceeded a secondary rate limit. Please wait a few minutes.', { 'retry-after': '3600' }),
    'rate_limited',
    { waits: true },
  ],
  [
    'upload',
    said(403, 'API rate limit exceeded for user ID 1.', {
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(Math.ceil(Date.now() / 1_000) + 3_600),
    }),
    'rate_limited',
    { waits: true },
  ],
  ['upload', said(429, 'Too many requests.', { 'retry-after': '3600' }), 'rate_limited', { waits: true }],
  ['upload', said(404, 'Not Found'), 'platform_place_gone'],
  ['upload', said(409, 'Git Repository is empty.'), 'platform_down'],
  [
    'upload',
    said(422, 'Sorry, your request timed out. It’s likely that your input was too large to process.'),
    'platform_down',
  ],
  ['upload', said(422, 'tree.path contains a malformed path component'), 'content_refused'],
  ['upload', said(409, 'Repository rule violations found: a secret was detected in the content.'), 'content_refused'],
  [
    'release',
    said(422, 'Tree SHA does not exist'),
    'platform_failed',
    'Somebody rewrote the history of the repository at GitHub.',
  ],
  [
    'finish',
    said(422, 'Update is not a fast forward'),
    'out_of_sync',
    { says: 'somebody else keeps writing to the branch' },
  ],
  ['state', said(502, 'Server Error'), 'platform_down'],
  ['attach', said(400, 'The custom domain `shop.example.com` is already taken.'), 'domain_taken'],
  [
    'attach',
    said(400, 'The custom domain `shop.example.com` is not properly formatted.'),
    'platform_failed',
    OTHER_DOMAIN,
  ],
  ['attach', said(451, 'Repository access blocked'), 'platform_failed', 'GitHub has blocked the repository'],
]);

test.each([
  ['"archived":false', '"archived":true', 'pat/my-things is archived', 'Unarchive the repository'],
  ['"push":true', '"push":false', 'may not write to pat/my-things', 'Ask its owner for the right'],
])('a chosen repository that takes no files is refused: %s is %s', async (usual, odd, says, remedy) => {
  await using subject = await githubUnderTest({ local: (text) => text.replace(usual, odd) });
  await using harness = await platformHarness();
  initialize(newRepository(subject.standIn.state, OWNER, 'my-things'));
  harness.call.destination.options = { publicFiles: true, repository: 'my-things' };
  const request = await harness.release(1, { 'index.html': 'one' });
  await expect(published(subject.platform, harness.call, request)).rejects.toMatchObject({
    message: expect.stringContaining(says),
    hint: expect.stringContaining(remedy),
  });
});

test('the repository at the root of its owner’s host is made where it is missing, once, and of nobody else’s', async () => {
  await using subject = await githubUnderTest();
  await using harness = await platformHarness();
  const { state } = subject.standIn;
  const { call } = harness;
  const request = await harness.release(1, { 'index.html': '<link href="/a.css">', 'a.css': 'p {}' });
  call.destination.options = { publicFiles: true, repository: 'sam.github.io' };
  await expect(published(subject.platform, call, request)).rejects.toMatchObject({ code: 'permission_missing' });
  call.destination.options = { publicFiles: true, repository: 'pat.github.io' };
  // A run that is killed before it could say what it made.
  await subject.platform.publish({ ...call, signal: call.signal }, request).next();
  const { ref } = await published(subject.platform, call, request);
  expect([...state.repositories.keys()]).toEqual(['pat/pat.github.io']);
  const { url } = await subject.platform.release(call, ref);
  expect(new URL(url ?? '').pathname).toBe('/');
  await subject.platform.remove(call);
  expect(state.repositories.size).toBe(0);
});
