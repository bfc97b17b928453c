import type { Page } from '../stand-in.ts';
import { type DeployRecord, type NetlifyState, SITES_DOMAIN, stateOf } from './state.ts';

const NO_SITE: Page = { status: 404, bytes: Buffer.from('Not Found - Request ID: 01') };
/** Read by the edge, and not served by it. */
const CONTROL_FILES: readonly string[] = ['_redirects', '_headers', 'netlify.toml'];

type Rule = { from: RegExp; to: string; status: number; isForced: boolean };

/**
 * Returns the page for a visitor, by the edge's own rules: the public deploy at `{site}`, each ready one at
 * `{deploy}--{site}`; clean addresses, the site's page for missing ones, and the rules of its `_redirects`.
 */
export function visitNetlify(state: NetlifyState, host: string, target: string): Page {
  const deploy = deployAt(state, host.slice(0, -SITES_DOMAIN.length - 1));
  if (deploy === null) return NO_SITE;
  const path = decodeURIComponent(target);
  const rule = rulesOf(state, deploy).find(({ from }) => from.test(path));
  if (rule?.isForced) return follow(state, deploy, rule);
  const found = fileAt(state, deploy, path);
  if (found !== null) return { status: 200, bytes: found };
  if (rule !== undefined) return follow(state, deploy, rule);
  return { status: 404, bytes: read(state, deploy, '404.html') ?? Buffer.from('Page not found') };
}

function deployAt({ sites, deploys, ...state }: NetlifyState, name: string): DeployRecord | null {
  const [, own, siteName = name] = /^([0-9a-f]{24})--(.+)$/.exec(name) ?? [];
  const site = [...sites.values()].find((one) => one.name === siteName);
  const deploy = deploys.get(own ?? site?.publishedId ?? '');
  if (site === undefined || deploy?.siteId !== site.id) return null;
  return stateOf({ ...state, sites, deploys }, deploy) === 'ready' ? deploy : null;
}

function fileAt(state: NetlifyState, deploy: DeployRecord, path: string): Buffer | null {
  const name = path.slice(1);
  const names =
    name === '' || name.endsWith('/') ? [`${name}index.html`] : [name, `${name}.html`, `${name}/index.html`];
  for (const one of names) {
    const bytes = CONTROL_FILES.includes(one) ? null : read(state, deploy, one);
    if (bytes !== null) return bytes;
  }
  return null;
}

function read({ blobs }: NetlifyState, { files }: DeployRecord, path: string): Buffer | null {
  const sha1 = files !== null && Object.hasOwn(files, path) ? files[path] : undefined;
  return sha1 === undefined ? null : (blobs.get(sha1) ?? null);
}

function follow(state: NetlifyState, deploy: DeployRecord, { to, status }: Rule): Page {
  if (status >= 300 && status < 400) return { status, bytes: Buffer.from(''), headers: { location: to } };
  const bytes = fileAt(state, deploy, to);
  return bytes === null ? { status: 404, bytes: Buffer.from('Page not found') } : { status, bytes };
}

/** `from to status`, where an exclamation mark forces a rule over a file that is there. */
function rulesOf(state: NetlifyState, deploy: DeployRecord): Rule[] {
  const text = read(state, deploy, '_redirects')?.toString('utf8') ?? '';
  return text.split('\n').flatMap((line) => {
    const [from, to, status = '301'] = line.trim().split(/\s+/);
    if (from === undefined || to === undefined || from.startsWith('#')) return [];
    const source = from.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*$/, '.*');
    return [
      { from: new RegExp(`^${source}$`), to, status: Number.parseInt(status, 10), isForced: status.endsWith('!') },
    ];
  });
}
