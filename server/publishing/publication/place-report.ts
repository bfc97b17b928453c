import { folderOf } from '../../../routers/schemas/platforms/below-folder.ts';
import { packedNotice } from '../../../routers/schemas/platforms/packed-notice.ts';
import { DomainModel } from '../../database/models/domains/domain.ts';
import type { Manifest } from '../../store/manifest.ts';
import type { ReleaseWork } from './release-work.ts';

/** A log that names more files helps nobody. */
const PACKED_TOLD = 20;

/** Returns the folder of its host below which a release is served, as `folderOf` does. */
export async function folderAtHost({ deployment, destination, platform }: ReleaseWork): Promise<string | null> {
  const { _id: deploymentId, accountId } = deployment;
  const active = await DomainModel.exists({ accountId, deploymentId, state: 'active' });
  const { url, options } = destination;
  return folderOf(platform.capabilities.basePath, url ?? '', active !== null, options?.repository);
}

/** Returns the lines of a release's log about files that browsers cannot unpack at this platform. */
export function reportPacked({ platform, title }: ReleaseWork, manifest: Manifest): string[] {
  const files = Array.from(manifest.keys(), (path) => ({ path }));
  const notice = packedNotice([{ title, capabilities: platform.capabilities }], files);
  return notice === null ? [] : [`${notice.message} ${notice.hint}`, ...notice.paths.slice(0, PACKED_TOLD)];
}
