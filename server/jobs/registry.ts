import { checkIntegrityJob } from './check-integrity.ts';
import { collectGarbageJob } from './collect-garbage.ts';
import { compressReleaseJob } from './compress-release.ts';
import { deleteAccountJob } from './delete-account.ts';
import { deployReleaseJob } from './deploy-release.ts';
import { forgotPasswordJob } from './forgot-password.ts';
import type { JobHandlers } from './handler.ts';
import { publishDestinationJob } from './publish-destination.ts';
import { recountDeploymentsJob } from './recount-deployments.ts';
import { removeDeploymentJob } from './remove-deployment.ts';
import { removeDestinationJob } from './remove-destination.ts';
import { reportCorruptionJob } from './report-corruption.ts';
import { sendMailJob } from './send-mail.ts';

/**
 * Maps the name of each job to its handler. The `key` that the enqueuing service gives says what must not run twice at
 * once.
 */
export const jobHandlers = {
  'deploy-release': deployReleaseJob,
  'compress-release': compressReleaseJob,
  'publish-destination': publishDestinationJob,
  'remove-destination': removeDestinationJob,
  'remove-deployment': removeDeploymentJob,
  'delete-account': deleteAccountJob,
  'forgot-password': forgotPasswordJob,
  'send-mail': sendMailJob,
  'collect-garbage': collectGarbageJob,
  'check-integrity': checkIntegrityJob,
  'recount-deployments': recountDeploymentsJob,
  'report-corruption': reportCorruptionJob,
} satisfies Required<JobHandlers>;
