import { expect, test } from 'vitest';
import { oauthClients, unpairedOauthVariable } from '../../../server/boot/env/oauth.ts';
import type { PlatformUrls } from '../../../server/publishing/platforms/platform.ts';

const URLS: PlatformUrls = {
  netlify: 'https://api.netlify.com/api/v1',
  vercel: 'https://api.vercel.com',
  'github-pages': 'https://api.github.com',
  render: 'https://api.render.com/v1',
  heroku: 'https://api.heroku.com',
};
const ALL = Object.fromEntries(
  ['NETLIFY', 'VERCEL', 'GITHUB', 'HEROKU'].flatMap((name) => [
    [`${name}_CLIENT_ID`, `${name} id`],
    [`${name}_CLIENT_SECRET`, `${name} secret`],
  ]),
);

test('each platform is signed in at its own pages, with the rights that publishing needs', () => {
  expect(oauthClients(ALL, URLS)).toEqual({
    netlify: {
      provider: 'netlify',
      id: 'NETLIFY id',
      secret: 'NETLIFY secret',
      endpoints: { authorize: 'https://app.netlify.com/authorize', token: 'https://api.netlify.com/oauth/token' },
      scope: undefined,
    },
    vercel: {
      provider: 'vercel',
      id: 'VERCEL id',
      secret: 'VERCEL secret',
      endpoints: {
        authorize: 'https://vercel.com/oauth/authorize',
        token: 'https://api.vercel.com/login/oauth/token',
      },
      // The app's own are taken: to ask for some would leave out the others.
      scope: undefined,
    },
    'github-pages': {
      provider: 'github-pages',
      id: 'GITHUB id',
      secret: 'GITHUB secret',
      endpoints: {
        authorize: 'https://github.com/login/oauth/authorize',
        token: 'https://github.com/login/oauth/access_token',
      },
      scope: 'repo delete_repo',
    },
    heroku: {
      provider: 'heroku',
      id: 'HEROKU id',
      secret: 'HEROKU secret',
      endpoints: { authorize: 'https://id.heroku.com/oauth/authorize', token: 'https://id.heroku.com/oauth/token' },
      scope: 'write-protected identity',
    },
  });
});

test('at another base address people sign in at its origin, and only there', () => {
  const urls = { ...URLS, 'github-pages': 'https://github.example.com:8443/api/v3' };
  const clients = oauthClients(ALL, urls);
  expect(clients['github-pages']?.endpoints).toEqual({
    authorize: 'https://github.example.com:8443/login/oauth/authorize',
    token: 'https://github.example.com:8443/login/oauth/access_token',
  });
  expect(clients.vercel?.endpoints.authorize).toBe('https://vercel.com/oauth/authorize');
});

test('an enterprise at a subdomain of GitHub is signed in where its people are, and not at its API', () => {
  const clients = oauthClients(ALL, { ...URLS, 'github-pages': 'https://api.harbour.ghe.com' });
  expect(clients['github-pages']?.endpoints).toEqual({
    authorize: 'https://harbour.ghe.com/login/oauth/authorize',
    token: 'https://harbour.ghe.com/login/oauth/access_token',
  });
});

test('an id and a secret go together: one alone makes no client, and is named with the other', () => {
  expect(oauthClients({}, URLS)).toEqual({});
  expect(oauthClients({ VERCEL_CLIENT_ID: 'one', HEROKU_CLIENT_SECRET: 'two' }, URLS)).toEqual({});
  expect(unpairedOauthVariable(ALL)).toBe(null);
  expect(unpairedOauthVariable({ ...ALL, VERCEL_CLIENT_SECRET: undefined })).toEqual({
    name: 'VERCEL_CLIENT_ID',
    needs: 'VERCEL_CLIENT_SECRET',
  });
  expect(unpairedOauthVariable({ HEROKU_CLIENT_SECRET: 'two' })).toEqual({
    name: 'HEROKU_CLIENT_SECRET',
    needs: 'HEROKU_CLIENT_ID',
  });
});
