import { collectGarbageJob } from './collect-garbage.ts';
import { compressReleaseJob } from './compress-release.ts';
import { deleteAccountJob } from './delete-account.ts';
import { deployReleaseJob } from './deploy-release.ts';
import { forgotPasswordJob } from './forgot-password.ts';
import type { JobHandlers } from './handler.ts';
import { removeDeploymentJob } from './remove-deployment.ts';
import { reportDamageJob } from './report-damage.ts';
import { scrubArtifactsJob } from './scrub-artifacts.ts';
import { sendMailJob } from './send-mail.ts';

/** Job name → handler. What must not run twice at once is the `key` that the enqueuing service gives. */
export const jobHandlers = {
  'deploy-release': deployReleaseJob,
  'compress-release': compressReleaseJob,
  'remove-deployment': removeDeploymentJob,
  'delete-account': deleteAccountJob,
  'forgot-password': forgotPasswordJob,
  'send-mail': sendMailJob,
  'collect-garbage': collectGarbageJob,
  'scrub-artifacts': scrubArtifactsJob,
  'report-damage': reportDamageJob,
} satisfies Required<JobHandlers>;
