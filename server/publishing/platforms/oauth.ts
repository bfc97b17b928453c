import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { HOSTING_TITLES } from '../../../routers/schemas/platforms/titles.ts';
import { credentialSchema, MAX_CREDENTIAL } from '../../../routers/schemas/primitives.ts';
import { textWithinBudget } from '../../lib/egress/answer-budget.ts';
import { parseAnswer } from '../../lib/egress/answer-json.ts';
import { redactedLine } from '../../lib/egress/vendor-answers.ts';
import { AppError } from '../../lib/errors.ts';
import { platformError } from './failures.ts';
import type { OAuthCall, OAuthClient, OAuthClients, OAuthTokens, PlatformSignIn, SignInRegistry } from './platform.ts';

/** Refusals of the grant itself, RFC 6749, section 5.2. Every other error may pass. */
const REFUSED_GRANT: ReadonlySet<string> = new Set(['invalid_grant', 'bad_verification_code', 'bad_refresh_token']);

/** A century: a longer lifetime counts as endless, and no date is that far away. */
const LIFE_MAX_S = 100 * 365 * 86_400;

/** Tokens have the limits of pasted ones: nothing else can be sent in a header or stored. */
const tokensSchema = z.object({
  access_token: credentialSchema,
  refresh_token: z.nullish(z.string().check(z.maxLength(MAX_CREDENTIAL))),
  expires_in: z.nullish(z.number()),
});
// GitHub answers a refusal with 200 and this body.
const refusalSchema = z.object({ error: z.string(), error_description: z.optional(z.string()) });

/** Creates the sign-in for each platform at which the operator has registered Fairlead. */
export function createSignIn(clients: OAuthClients): SignInRegistry {
  const registry: SignInRegistry = {};
  for (const client of Object.values(clients)) registry[client.provider] = signInAt(client);
  return registry;
}

function signInAt(client: OAuthClient): PlatformSignIn {
  return {
    authorizeUrl: ({ state, verifier, redirectUri }) => {
      const url = new URL(client.endpoints.authorize);
      const { scope } = client;
      url.search = new URLSearchParams({
        response_type: 'code',
        client_id: client.id,
        redirect_uri: redirectUri,
        state,
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
        ...(scope !== undefined && { scope }),
      }).toString();
      return url.href;
    },
    exchangeCode: (call, { code, verifier, redirectUri }) =>
      askTokens(call, client, {
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        code_verifier: verifier,
      }),
    refresh: async (call, refreshToken) => {
      const tokens = await askTokens(call, client, { grant_type: 'refresh_token', refresh_token: refreshToken });
      // A platform that does not rotate its refresh tokens returns none (RFC 6749, section 6).
      return { ...tokens, refreshToken: tokens.refreshToken ?? refreshToken };
    },
  };
}

async function askTokens(call: OAuthCall, client: OAuthClient, grant: Record<string, string>): Promise<OAuthTokens> {
  const title = HOSTING_TITLES[client.provider];
  const body = await postForm(call, client, grant).catch((cause: unknown) => {
    if (cause instanceof AppError) throw cause;
    throw platformError('platform_down', title, { said: 'the connection broke off', cause });
  });
  const refusal = refusalSchema.safeParse(body);
  const { code = null, code_verifier = null, refresh_token: refreshToken = null } = grant;
  if (refusal.success) throw refused(title, refusal.data, [client.secret, code, code_verifier, refreshToken]);
  const tokens = tokensSchema.safeParse(body);
  if (!tokens.success) throw platformError('platform_down', title, { said: 'its answer is not understood' });
  const { access_token, refresh_token, expires_in } = tokens.data;
  const lifeS = expires_in ?? 0;
  return {
    token: access_token,
    refreshToken: refresh_token ?? null,
    expiresAt: lifeS > 0 && lifeS < LIFE_MAX_S ? new Date(call.now().getTime() + lifeS * 1_000) : null,
  };
}

function refused(
  title: string,
  { error, error_description }: z.infer<typeof refusalSchema>,
  secrets: readonly (string | null)[],
): AppError {
  if (!REFUSED_GRANT.has(error)) {
    return platformError('platform_down', title, { said: redactedLine(error_description ?? error, secrets) });
  }
  return new AppError('credentials_invalid', `${title} did not confirm the connection.`, {
    hint: `Connect ${title} again.`,
  });
}

const ANSWER_MAX_BYTES = 64 * 1024;
/** A person waits for it, or a job that needs the token. */
const ANSWER_MS = 30_000;

async function postForm(call: OAuthCall, client: OAuthClient, grant: Record<string, string>): Promise<unknown> {
  const form = new URLSearchParams({ ...grant, client_id: client.id, client_secret: client.secret });
  const exchange = {
    method: 'POST',
    headers: () => ({
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      'user-agent': 'Fairlead',
    }),
    body: Buffer.from(form.toString()),
    signal: call.signal,
    maxBytes: ANSWER_MAX_BYTES,
    wholeMs: ANSWER_MS,
    redirects: 0,
  } as const;
  return call.egress.request(client.endpoints.token, exchange, async ({ body }) =>
    parseAnswer(await textWithinBudget(body)),
  );
}
