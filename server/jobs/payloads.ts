import * as z from 'zod/mini';
import { idSchema, sha256Schema } from '../../routers/schemas/primitives.ts';

/** Maps the name of each job, which is also the name of its file, to its payload. Services see no more of a job. */
export const JOB_PAYLOADS = {
  'deploy-release': z.strictObject({ releaseId: idSchema }),
  'compress-release': z.strictObject({ releaseId: idSchema }),
  'publish-destination': z.strictObject({ deploymentId: idSchema, destinationId: idSchema }),
  'remove-destination': z.strictObject({ deploymentId: idSchema, destinationId: idSchema }),
  'remove-deployment': z.strictObject({ deploymentId: idSchema }),
  'delete-account': z.strictObject({}),
  'forgot-password': z.strictObject({ email: z.string() }),
  'send-mail': z.strictObject({ mailId: idSchema }),
  'collect-garbage': z.strictObject({}),
  'check-integrity': z.strictObject({}),
  'recount-deployments': z.strictObject({}),
  'report-corruption': z.strictObject({ sha256: sha256Schema }),
} as const;

export type JobName = keyof typeof JOB_PAYLOADS;
export type JobPayload<Name extends JobName> = z.infer<(typeof JOB_PAYLOADS)[Name]>;
