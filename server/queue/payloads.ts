import * as z from 'zod/mini';
import { idSchema, sha256Schema } from '../../routers/schemas/primitives.ts';

/**
 * Maps the name of each job, which is also the name of its file, to its payload. Services know nothing else of a job.
 */
export const JOB_PAYLOADS = {
  publish: z.strictObject({ releaseId: idSchema, destinationId: idSchema }),
  'remove-destination': z.strictObject({ deploymentId: idSchema, destinationId: idSchema }),
  'remove-deployment': z.strictObject({ deploymentId: idSchema }),
  'check-domain': z.strictObject({ domainId: idSchema }),
  'detach-domain': z.strictObject({
    deploymentId: idSchema,
    destinationId: idSchema,
    name: z.string(),
    counterpart: z.nullable(z.string()),
  }),
  'check-domains': z.strictObject({}),
  'check-connection': z.strictObject({ connectionId: idSchema }),
  'check-connections': z.strictObject({}),
  'check-deployment': z.strictObject({ deploymentId: idSchema }),
  'check-deployments': z.strictObject({}),
  'run-diagnostics': z.strictObject({ reportId: idSchema }),
  'apply-dns': z.strictObject({ planId: idSchema }),
  'issue-certificate': z.strictObject({ certificateId: idSchema }),
  'renew-certificates': z.strictObject({}),
  'rehearse-renewals': z.strictObject({}),
  'remove-challenges': z.strictObject({}),
  'delete-account': z.strictObject({}),
  'forgot-password': z.strictObject({ email: z.string() }),
  'settle-test-payment': z.strictObject({ paymentId: idSchema }),
  'sync-payments': z.strictObject({}),
  'reconcile-payments': z.strictObject({}),
  'send-mail': z.strictObject({ mailId: idSchema }),
  'collect-garbage': z.strictObject({}),
  'check-integrity': z.strictObject({}),
  'expire-subscriptions': z.strictObject({}),
  'recount-deployments': z.strictObject({}),
  'roll-up-visits': z.strictObject({}),
  'forget-visits': z.strictObject({}),
  'remove-old-releases': z.strictObject({}),
  'report-corruption': z.strictObject({ sha256: sha256Schema }),
} as const;

export type JobName = keyof typeof JOB_PAYLOADS;
export type JobPayload<Name extends JobName> = z.infer<(typeof JOB_PAYLOADS)[Name]>;
