import * as z from 'zod/mini';
import { ask, makeOnce, type Vendor } from '../http.ts';
import type { PlatformCall, PlatformRelease, RestoreEvent } from '../platform.ts';
import { waitUntilDone } from '../wait-until-done.ts';
import { anyObject, TITLE, withFailures, withTeam } from './api.ts';

const aliasStateSchema = z.object({
  targets: z.optional(
    z.nullable(z.object({ production: z.optional(z.nullable(z.object({ id: z.optional(z.string()) }))) })),
  ),
  lastAliasRequest: z.optional(
    z.nullable(z.object({ toDeploymentId: z.string(), jobStatus: z.string(), requestedAt: z.optional(z.number()) })),
  ),
});
type AliasState = z.infer<typeof aliasStateSchema>;

/** Translates the last move of the addresses into the product's states. */
const MOVES = { succeeded: 'verifying', skipped: 'verifying', failed: 'failed' } as const;

/**
 * "Points all production domains for a project to the given deploy": used for publishing too, since after the other
 * kind of rollback a project gives its addresses to no new deployment.
 */
export async function* makePublic(
  vendor: Vendor,
  call: PlatformCall,
  { projectId, id }: { projectId: string; id: string },
): AsyncGenerator<RestoreEvent, void> {
  const project = encodeURIComponent(projectId);
  yield { type: 'processing', text: `${TITLE} points its addresses to this release` };
  const read = (): Promise<AliasState> =>
    ask(call, vendor, withTeam(call, { url: `/v9/projects/${project}` }), aliasStateSchema);
  let before: AliasState = await read();
  if (!isLive(before, id)) {
    // A deployment may be deleted after a time, which says nothing about the site.
    const promoting = withFailures(vendor, { 404: 'platform_failed', 410: 'platform_failed', 422: 'platform_failed' });
    await makeOnce<unknown>(call, promoting, {
      look: async () => {
        const aliasState = await read();
        const isThere = isLive(aliasState, id) || isMoving(aliasState, id);
        if (!isThere) before = aliasState;
        return isThere ? aliasState : null;
      },
      request: withTeam(call, {
        method: 'POST',
        url: `/v10/projects/${project}/promote/${encodeURIComponent(id)}`,
        // It has the addresses already, or is about to.
        isAnswer: (status) => status === 409,
      }),
      shape: anyObject,
    });
  }
  yield* waitUntilDone(call, TITLE, async () => toRelease(await read(), id, before));
}

function isLive({ targets }: AliasState, id: string): boolean {
  return targets?.production?.id === id;
}

function isMoving({ lastAliasRequest: move }: AliasState, id: string): boolean {
  return move?.toDeploymentId === id && !Object.hasOwn(MOVES, move.jobStatus);
}

function toRelease(aliasState: AliasState, id: string, before: AliasState): PlatformRelease {
  const { lastAliasRequest: move } = aliasState;
  const word = move?.toDeploymentId === id ? move.jobStatus : null;
  const isOld = move?.requestedAt !== undefined && move.requestedAt === before.lastAliasRequest?.requestedAt;
  const state = word === 'succeeded' || word === 'skipped' || word === 'failed' ? MOVES[word] : 'processing';
  const text = state === 'failed' ? 'its addresses could not be moved' : null;
  // An earlier failure says nothing about this time.
  const seen = isLive(aliasState, id) ? 'verifying' : state === 'failed' && isOld ? 'processing' : state;
  return { state: seen, text, url: null, ownUrl: null };
}
