import * as z from 'zod/mini';
import { webOrigin } from '../../publishing/platforms/git/hosts.ts';
import type { OAuthClients, PlatformUrls } from '../../publishing/platforms/platform.ts';

const text = z.optional(z.string().check(z.minLength(1, 'it must not be empty')));

/** These identify the app that the operator has registered at each platform. Without them people paste a token. */
export const oauthVariables = {
  NETLIFY_CLIENT_ID: text,
  NETLIFY_CLIENT_SECRET: text,
  VERCEL_CLIENT_ID: text,
  VERCEL_CLIENT_SECRET: text,
  GITHUB_CLIENT_ID: text,
  GITHUB_CLIENT_SECRET: text,
  HEROKU_CLIENT_ID: text,
  HEROKU_CLIENT_SECRET: text,
};

type Signing = 'netlify' | 'vercel' | 'github-pages' | 'heroku';
type Values = { [Name in keyof typeof oauthVariables]?: string | undefined };

/**
 * The pages where people agree, and the addresses where a code becomes a token: docs.netlify.com (OAuth2),
 * vercel.com/docs/sign-in-with-vercel, docs.github.com (authorizing OAuth apps), Heroku Dev Center (OAuth); all read
 * 2026-11.
 */
const ENDPOINTS: Record<Signing, { api: string; authorize: string; token: string; scope?: string }> = {
  netlify: {
    api: 'https://api.netlify.com',
    authorize: 'https://app.netlify.com/authorize',
    token: 'https://api.netlify.com/oauth/token',
  },
  vercel: {
    api: 'https://api.vercel.com',
    authorize: 'https://vercel.com/oauth/authorize',
    token: 'https://api.vercel.com/login/oauth/token',
  },
  'github-pages': {
    api: 'https://api.github.com',
    authorize: 'https://github.com/login/oauth/authorize',
    token: 'https://github.com/login/oauth/access_token',
    // GitHub, "Scopes for OAuth apps": `repo` covers contents and Pages; deleting a repository needs a scope of its
    // own.
    scope: 'repo delete_repo',
  },
  heroku: {
    api: 'https://api.heroku.com',
    authorize: 'https://id.heroku.com/oauth/authorize',
    token: 'https://id.heroku.com/oauth/token',
    // Heroku Dev Center, OAuth: this scope reads and writes everything except account data.
    scope: 'write-protected identity',
  },
};
const PREFIXES: Record<Signing, 'NETLIFY' | 'VERCEL' | 'GITHUB' | 'HEROKU'> = {
  netlify: 'NETLIFY',
  vercel: 'VERCEL',
  'github-pages': 'GITHUB',
  heroku: 'HEROKU',
};

/**
 * Returns the clients whose variables are all set. When an API has another base address, the OAuth paths are at its
 * origin; for GitHub, they are at the address where people open it.
 */
export function oauthClients(values: Values, urls: PlatformUrls): OAuthClients {
  const clients: OAuthClients = {};
  for (const provider of ['netlify', 'vercel', 'github-pages', 'heroku'] as const) {
    const prefix = PREFIXES[provider];
    const id = values[`${prefix}_CLIENT_ID`];
    const secret = values[`${prefix}_CLIENT_SECRET`];
    if (id === undefined || secret === undefined) continue;
    const { scope } = ENDPOINTS[provider];
    clients[provider] = { provider, id, secret, endpoints: endpointsAt(provider, urls[provider]), scope };
  }
  return clients;
}

/** Returns a variable that is set without the one that it needs, and that one; null when there is none. */
export function unpairedOauthVariable(values: Values): { name: keyof Values; needs: keyof Values } | null {
  for (const prefix of Object.values(PREFIXES)) {
    const id = `${prefix}_CLIENT_ID` as const;
    const secret = `${prefix}_CLIENT_SECRET` as const;
    if (values[id] !== undefined && values[secret] === undefined) return { name: id, needs: secret };
    if (values[secret] !== undefined && values[id] === undefined) return { name: secret, needs: id };
  }
  return null;
}

function endpointsAt(provider: Signing, apiUrl: string): { authorize: string; token: string } {
  const { api, authorize, token } = ENDPOINTS[provider];
  if (new URL(apiUrl).origin === api) return { authorize, token };
  const origin = provider === 'github-pages' ? webOrigin(apiUrl) : new URL(apiUrl).origin;
  return { authorize: `${origin}${new URL(authorize).pathname}`, token: `${origin}${new URL(token).pathname}` };
}
