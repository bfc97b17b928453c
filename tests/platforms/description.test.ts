import { expect, test } from 'vitest';
import { readDescription } from '../support/standins/description.ts';
import { startGithub } from '../support/standins/github-pages/index.ts';
import { createState } from '../support/standins/github-pages/state.ts';
import { startHeroku } from '../support/standins/heroku/index.ts';
import { startNetlify } from '../support/standins/netlify/index.ts';
import { startRender } from '../support/standins/render/index.ts';
import { TOKEN } from '../support/standins/stand-in.ts';
import { startVercel } from '../support/standins/vercel/index.ts';

const SITE = '/sites/{site_id}';

test('an answer that does not fit a Swagger description is told by its field', () => {
  const netlify = readDescription('netlify');
  expect(netlify.faultOfAnswer('GET', SITE, 200, { id: 'one', domain_aliases: ['a.example.com'] })).toBe(null);
  expect(netlify.faultOfAnswer('GET', SITE, 200, { id: 1 })).toContain('body/id must be string');
  expect(netlify.faultOfAnswer('GET', '/sites', 200, { id: 'one' })).toContain('must be array');
});

test('an answer that does not fit an OpenAPI description is told by its field', () => {
  const github = readDescription('github-pages');
  const path = '/repos/{owner}/{repo}/git/refs/{ref}';
  const answer = {
    ref: 'refs/heads/main',
    node_id: 'a',
    url: 'https://x.example',
    object: { type: 'commit', sha: 'a'.repeat(40), url: 'https://x.example' },
  };
  expect(github.faultOfAnswer('PATCH', path, 200, answer)).toBe(null);
  expect(github.faultOfAnswer('PATCH', path, 200, { ...answer, object: null })).toContain('body/object');
  expect(github.faultOfRequest('PATCH', path, { sha: 'a', force: 'yes' })).toContain('body/force');
});

test('an answer that does not fit a hyper-schema is told by its field', () => {
  const heroku = readDescription('heroku');
  const path = '/apps/{app}/builds';
  expect(heroku.faultOfAnswer('POST', path, 201, { id: 'one' })).toContain("must have required property 'created_at'");
  expect(heroku.faultOfAnswer('GET', path, 200, {})).toContain('must be array');
  expect(heroku.faultOfRequest('POST', path, {})).toContain("must have required property 'source_blob'");
});

test.each([
  ['vercel', 'GET', '/v13/deployments/{idOrUrl}'],
  ['render', 'POST', '/services/{serviceId}/deploys'],
] as const)('the description of %s has %s %s', (name, method, path) => {
  expect(readDescription(name).faultOfAnswer(method, path, method === 'POST' ? 201 : 200, 7)).toContain('must be');
});

test('an operation that is not described is a defect of the stand-in', () => {
  expect(() => readDescription('netlify').faultOfRequest('POST', '/drop', {})).toThrow('no POST /drop');
});

test.each([
  ['Netlify', startNetlify, '/sites', 422],
  ['Vercel', startVercel, '/v11/projects', 400],
  ['GitHub', startGithub, '/user/repos', 422],
  ['Render', () => startRender(createState()), '/services', 400],
  ['Heroku', startHeroku, '/apps', 422],
] as const)(
  'a request that does not fit the description of %s is refused there, and noted',
  async (_, start, path, status) => {
    await using standIn = await start();
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ name: ['no text'] });
    const answer = await fetch(`${standIn.apiUrl}${path}`, { method: 'POST', headers, body });
    expect(answer.status).toBe(status);
    expect(standIn.drift).toEqual([expect.stringContaining(`request POST ${path}: body`)]);
  },
);
