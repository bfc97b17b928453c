import type { Records, ReleaseRecord } from './records.ts';

export type Page = { status: number; bytes: Buffer };

/**
 * Returns what a visitor of this name gets: the public release of a site, or `{release}--{site}`, a release of its own.
 */
export async function pageOf(records: Records, name: string, target: string): Promise<Page> {
  const release = await releaseAt(records, name);
  if (release === null) return { status: 404, bytes: Buffer.from('No such site') };
  const path = pathOf(target);
  const found = await fileOf(records, release, path);
  if (found !== null) return { status: 200, bytes: found };
  return { status: 404, bytes: (await fileOf(records, release, '404.html')) ?? Buffer.from('Not found') };
}

async function releaseAt(records: Records, name: string): Promise<ReleaseRecord | null> {
  const [, own, siteName = name] = /^([0-9a-f]{16})--(.+)$/.exec(name) ?? [];
  const site = await records.siteByName(siteName);
  const id = own ?? site?.published ?? null;
  if (site === null || id === null) return null;
  const release = await records.read('releases', id);
  return release?.site === site.id && release.state === 'ready' ? release : null;
}

function pathOf(target: string): string {
  const path = decodeURIComponent(target.split('?')[0] ?? '/').slice(1);
  return path === '' || path.endsWith('/') ? `${path}index.html` : path;
}

async function fileOf(records: Records, release: ReleaseRecord, path: string): Promise<Buffer | null> {
  const digest = Object.hasOwn(release.files, path) ? release.files[path] : undefined;
  return digest === undefined ? null : records.readBlob(digest);
}
