import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { at, type Reply, type Route } from '../stand-in.ts';
import {
  type DeployRecord,
  deployBody,
  goPublic,
  invalid,
  json,
  moveOn,
  type NetlifyCall,
  type NetlifyState,
  NOT_THERE,
  newDeploy,
  stateOf,
} from './state.ts';

/**
 * A larger manifest has to be compared in the background, because the gateway times out (netlify/cli, issues 484 and
 * 745).
 */
const SYNC_MAX_FILES = 500;
const GATEWAY_TIMEOUT: Reply = { status: 502, body: '<html><body>Bad Gateway</body></html>' };

const manifestSchema = z.looseObject({
  files: z.optional(z.record(z.string(), z.string())),
  draft: z.optional(z.boolean()),
  async: z.optional(z.boolean()),
});

/** Deploys by digests: the manifest first, then the files that are missing, then the end is waited for. */
export const DEPLOY_ROUTES: readonly Route<NetlifyState>[] = [
  at('GET', '/sites/{site_id}/deploys', 'look', async (call) => {
    const [siteId = ''] = call.parts;
    if (!call.state.sites.has(siteId)) return NOT_THERE;
    const all = [...call.state.deploys.values()].filter((one) => one.siteId === siteId).toReversed();
    // A list does not say what is required.
    return { status: 200, body: all.map((one) => ({ ...deployBody(call, one), required: undefined })) };
  }),
  at('POST', '/sites/{site_id}/deploys', 'release', create),
  at('PUT', '/sites/{site_id}/deploys/{deploy_id}', 'release', async (call) =>
    withDeploy(call, 1, (deploy) => announce(call, deploy) ?? { status: 200, body: deployBody(call, deploy) }),
  ),
  at('GET', '/sites/{site_id}/deploys/{deploy_id}', 'state', async (call) =>
    withDeploy(call, 1, (deploy) => look(call, deploy)),
  ),
  at('GET', '/deploys/{deploy_id}', 'state', async (call) => withDeploy(call, 0, (deploy) => look(call, deploy))),
  at('PUT', '/deploys/{deploy_id}/files/{path+}', 'upload', async (call) =>
    withDeploy(call, 0, (deploy) => receive(call, deploy)),
  ),
  at('POST', '/deploys/{deploy_id}/cancel', 'cancel', async (call) =>
    withDeploy(call, 0, (deploy) => cancel(call, deploy)),
  ),
  at('POST', '/sites/{site_id}/deploys/{deploy_id}/restore', 'restore', async (call) =>
    withDeploy(call, 1, (deploy) => restore(call, deploy)),
  ),
];

/** Returns the deploy that this part of the path names, if it is one of the site before it. */
function withDeploy({ state, parts }: NetlifyCall, part: 0 | 1, work: (deploy: DeployRecord) => Reply): Reply {
  const deploy = state.deploys.get(parts[part] ?? '');
  const isThere = deploy !== undefined && state.sites.has(deploy.siteId);
  return isThere && (part === 0 || deploy.siteId === parts[0]) ? work(deploy) : NOT_THERE;
}

async function create(call: NetlifyCall): Promise<Reply> {
  const { state, parts, query } = call;
  const [siteId = ''] = parts;
  if (!state.sites.has(siteId)) return NOT_THERE;
  const deploy = newDeploy(siteId, query.get('title'));
  const refused = announce(call, deploy);
  if (refused !== null) return refused;
  state.deploys.set(deploy.id, deploy);
  return { status: 200, body: deployBody(call, deploy) };
}

function look(call: NetlifyCall, deploy: DeployRecord): Reply {
  const body = deployBody(call, deploy);
  moveOn(call.state, deploy);
  return { status: 200, body };
}

/** Takes the manifest; returns the refused part of it, or null. */
function announce({ body, states }: NetlifyCall, deploy: DeployRecord): Reply | null {
  const { files, draft = deploy.isDraft, async: isAsync = false } = json(manifestSchema, body);
  deploy.isDraft = draft;
  if (files === undefined) return null;
  const paths = Object.keys(files);
  const bad = paths.find((path) => /[#?]/.test(path) || path.startsWith('/') || path.split('/').includes('..'));
  if (bad !== undefined) return { status: 422, body: { errors: `Invalid filename '${bad}'` }, isUndescribed: true };
  if (!Object.values(files).every((sha1) => /^[0-9a-f]{40}$/.test(sha1))) return invalid('Invalid digest');
  if (!isAsync && paths.length > SYNC_MAX_FILES) return GATEWAY_TIMEOUT;
  const at = states.indexOf('error');
  Object.assign(deploy, {
    files,
    isComparing: isAsync,
    ahead: states.length > 0 ? states.slice(0, at < 0 ? undefined : at) : ['processing'],
    end: at < 0 ? 'ready' : 'error',
  });
  return null;
}

function receive({ state, parts, headers, body }: NetlifyCall, deploy: DeployRecord): Reply {
  const [, path = ''] = parts;
  if (stateOf(state, deploy) !== 'uploading') return invalid('Build is already done');
  if (headers['content-type'] !== 'application/octet-stream') return invalid('Invalid content type');
  const sha1 = createHash('sha1').update(body).digest('hex');
  if (deploy.files?.[path] !== sha1) {
    return {
      status: 422,
      body: { errors: `The file ${path} did not match the digest of the deploy` },
      isUndescribed: true,
    };
  }
  state.blobs.set(sha1, body);
  const file = { id: `/${path}`, path: `/${path}`, sha: sha1, mime_type: 'text/plain', size: body.length };
  return { status: 200, body: file };
}

function restore(call: NetlifyCall, deploy: DeployRecord): Reply {
  const { state } = call;
  if (stateOf(state, deploy) !== 'ready') return invalid('Deploy is not ready');
  goPublic(state.sites.get(deploy.siteId), deploy);
  const { published_at: publishedAt, ...body } = deployBody(call, deploy);
  return { status: 201, body: state.reading.restoreTellsTime ? { ...body, published_at: publishedAt } : body };
}

function cancel(call: NetlifyCall, deploy: DeployRecord): Reply {
  const { state } = call;
  if (['ready', 'error', 'cancelled'].includes(stateOf(state, deploy))) return invalid('Build is already done');
  Object.assign(deploy, { errorMessage: 'Canceled by user', isComparing: false, ahead: [] });
  deploy.end = state.reading.cancelledIsError ? 'error' : 'cancelled';
  return { status: 201, body: deployBody(call, deploy) };
}
