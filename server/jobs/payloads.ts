import * as z from 'zod/mini';
import { idSchema, sha256Schema } from '../../routers/schemas/primitives.ts';

/** Job name → payload. The name is the handler's file name; what services see of a job. */
export const JOB_PAYLOADS = {
  'deploy-release': z.strictObject({ releaseId: idSchema }),
  'compress-release': z.strictObject({ releaseId: idSchema }),
  'remove-deployment': z.strictObject({ deploymentId: idSchema }),
  'delete-account': z.strictObject({}),
  'forgot-password': z.strictObject({ email: z.string() }),
  'send-mail': z.strictObject({ mailId: idSchema }),
  'collect-garbage': z.strictObject({}),
  'scrub-artifacts': z.strictObject({}),
  'report-damage': z.strictObject({ sha256: sha256Schema }),
} as const;

export type JobName = keyof typeof JOB_PAYLOADS;
export type JobPayload<Name extends JobName> = z.infer<(typeof JOB_PAYLOADS)[Name]>;
