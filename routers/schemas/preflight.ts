import * as z from 'zod/mini';
import { createDeploymentInput } from './deployments.ts';
import { addDomainInput } from './domains.ts';
import { UPLOAD_LIMITS } from './limits.ts';
import { shownErrorSchema } from './platforms/destination.ts';

/** What a new deployment would do, in the order in which it does it. */
export const PREFLIGHT_STEPS = ['create', 'send', 'publish', 'verify', 'domain', 'certificate'] as const;

/** `unknown`: somebody who decides did not answer; `absent`: nothing of it would be done. */
export const PREFLIGHT_VERDICTS = ['pass', 'refused', 'unknown', 'absent'] as const;

/** A new deployment as it would be made, its domain, and how much would be sent: the files themselves stay where they are. */
export const preflightInput = z.extend(z.omit(createDeploymentInput, { idempotencyKey: true }), {
  domain: z.optional(addDomainInput.shape.name),
  files: z.optional(
    z.strictObject({
      count: z.int().check(z.minimum(1), z.maximum(UPLOAD_LIMITS.maxFiles)),
      totalBytes: z.int().check(z.minimum(0)),
    }),
  ),
});

const preflightStepSchema = z.strictObject({
  step: z.enum(PREFLIGHT_STEPS),
  verdict: z.enum(PREFLIGHT_VERDICTS),
  /** What would be done and sent, and to whom. */
  lines: z.array(z.string()),
  /** What the real thing would answer, or why that is not known. */
  problem: z.nullable(z.omit(shownErrorSchema, { raw: true })),
});
export const preflightSchema = z.strictObject({ steps: z.array(preflightStepSchema) });

export type PreflightInput = z.infer<typeof preflightInput>;
export type PreflightStep = z.infer<typeof preflightStepSchema>;
export type Preflight = z.infer<typeof preflightSchema>;
