import { collectGarbageJob } from './collect-garbage.ts';
import { compressRelease } from './compress-release.ts';
import { deleteAccount } from './delete-account.ts';
import { deployRelease } from './deploy-release.ts';
import { forgotPassword } from './forgot-password.ts';
import type { JobHandlers } from './handler.ts';
import { removeDeployment } from './remove-deployment.ts';
import { reportDamageJob } from './report-damage.ts';
import { scrubArtifacts } from './scrub-artifacts.ts';
import { sendMail } from './send-mail.ts';

/** Job name → handler. What must not run twice at once is the `key` that the enqueuing service gives. */
export const jobHandlers: JobHandlers = {
  'deploy-release': deployRelease,
  'compress-release': compressRelease,
  'remove-deployment': removeDeployment,
  'delete-account': deleteAccount,
  'forgot-password': forgotPassword,
  'send-mail': sendMail,
  'collect-garbage': collectGarbageJob,
  'scrub-artifacts': scrubArtifacts,
  'report-damage': reportDamageJob,
};
