import type { ConnectionProvider } from './ids.ts';

/** Instructions for making the token of a connection, with its permissions. */
export type TokenGuide = {
  name: string;
  url: string;
  /** The path in the platform's own menu. */
  path: string;
  permissions: readonly string[];
};

export const TOKEN_GUIDES: Record<ConnectionProvider, TokenGuide> = {
  // Netlify's tokens have no scopes (its published API description, 2026-05-19).
  netlify: {
    name: 'Personal access token',
    url: 'https://app.netlify.com/user/applications#personal-access-tokens',
    path: 'User settings, Applications, Personal access tokens',
    permissions: ['A Netlify token has no scopes: it can do what you can do there.'],
  },
  // vercel.com/docs/rest-api: a token can be limited to one team and given an end date.
  vercel: {
    name: 'Token',
    url: 'https://vercel.com/account/tokens',
    path: 'Account settings, Tokens',
    permissions: ['As its scope, choose the team that you publish under, or your full account.'],
  },
  // docs.github.com: permissions required for fine-grained personal access tokens.
  'github-pages': {
    name: 'Personal access token',
    url: 'https://github.com/settings/tokens',
    path: 'Settings, Developer settings, Personal access tokens',
    permissions: [
      'Classic token: the scope repo, and delete_repo if Fairlead may delete a repository that it made.',
      'Fine-grained token: all repositories, with Administration, Contents and Pages set to write.',
    ],
  },
  render: {
    name: 'API key',
    url: 'https://dashboard.render.com/settings#api-keys',
    path: 'Account settings, API keys',
    permissions: ['A Render key has no scopes: it can do what you can do there.'],
  },
  // Heroku Dev Center, OAuth: scopes of an authorization.
  heroku: {
    name: 'Authorization token',
    url: 'https://dashboard.heroku.com/account/applications',
    path: 'Account settings, Applications, Create authorization',
    permissions: ['The scope “global” or “write-protected”.'],
  },
};
