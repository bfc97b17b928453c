import type { PreparedUpload, PrepareReleaseInput } from '../../../routers/schemas/releases.ts';
import { requireConnected } from '../../connections/watch.ts';
import type { AccountContext } from '../../context.ts';
import { findDeployment } from '../../database/find-deployment.ts';
import { requireWritable } from '../../plans/subscription/writable.ts';
import { openUpload } from '../uploads/index.ts';

/**
 * Opens an upload, with or without a deployment, since files can be read before one exists. Throws `not_found`,
 * `plan_required` for a deployment that is read-only, `credentials_invalid` when its platform refuses the connection
 * by now, `quota_exhausted` when three uploads are open and in use.
 */
export async function prepareRelease(ctx: AccountContext, input: PrepareReleaseInput): Promise<PreparedUpload> {
  const deployment = input?.deploymentId === undefined ? null : await findDeployment(ctx, input.deploymentId);
  if (deployment !== null) {
    await requireWritable(null, ctx, deployment._id);
    await requireConnected(ctx, deployment);
  }
  return { uploadId: await openUpload(ctx, deployment?._id ?? null) };
}
