import * as z from 'zod/mini';
import { at, type Reply, type Route } from '../stand-in.ts';
import { accountBody, organizationBody, repositoryBody } from './bodies.ts';
import {
  type GithubCall,
  type GithubState,
  initialize,
  json,
  NOT_THERE,
  newRepository,
  ORGANIZATION,
  OWNER,
  refused,
  withRepository,
} from './state.ts';

const bodySchema = z.looseObject({
  name: z.string(),
  description: z.optional(z.string()),
  private: z.optional(z.boolean()),
  auto_init: z.optional(z.boolean()),
});
const NAME = /^[\w.-]{1,100}$/;

/** The account, its organization, and their repositories. */
export const REPOSITORY_ROUTES: readonly Route<GithubState>[] = [
  at('GET', '/user', 'account', async (call) => ({
    status: 200,
    body: accountBody(call),
    headers: {
      'x-oauth-scopes': call.state.scopes,
      ...(call.state.quirks.tokenEndsAt !== undefined && {
        'github-authentication-token-expiration': call.state.quirks.tokenEndsAt,
      }),
    },
  })),
  at('GET', '/user/orgs', 'account', async (call) => ({ status: 200, body: [organizationBody(call, ORGANIZATION)] })),
  at('POST', '/user/repos', 'site', async (call) => create(call, OWNER)),
  at('POST', '/orgs/{org}/repos', 'site', async (call) =>
    call.parts[0] === ORGANIZATION ? create(call, ORGANIZATION) : NOT_THERE,
  ),
  at('GET', '/repos/{owner}/{repo}', 'look', async (call) =>
    withRepository(call, (repository) => ({ status: 200, body: repositoryBody(call, repository) })),
  ),
  at('DELETE', '/repos/{owner}/{repo}', 'remove', async (call) =>
    withRepository(call, ({ owner, name }) => {
      if (!call.state.scopes.includes('delete_repo')) return refused(403, 'Must have admin rights to Repository.');
      call.state.repositories.delete(`${owner}/${name}`.toLowerCase());
      return { status: 204 };
    }),
  ),
];

function create(call: GithubCall, owner: string): Reply {
  const { state } = call;
  if (!state.scopes.includes('repo')) {
    const headers = { 'x-oauth-scopes': state.scopes, 'x-accepted-oauth-scopes': 'public_repo, repo' };
    return { ...NOT_THERE, headers };
  }
  const body = json(bodySchema, call.body);
  if (!NAME.test(body.name)) return refused(422, 'Repository creation failed.', 'name is not valid');
  if (state.repositories.has(`${owner}/${body.name}`.toLowerCase())) {
    return refused(422, 'Repository creation failed.', 'name already exists on this account');
  }
  const repository = newRepository(state, owner, body.name);
  Object.assign(repository, { description: body.description ?? null, isPrivate: body.private ?? false });
  if (body.auto_init) initialize(repository);
  return { status: 201, body: repositoryBody(call, repository) };
}
