import * as z from 'zod/mini';
import { createDeploymentInput } from './deployments.ts';
import { addDomainInput } from './domains.ts';
import { shownErrorSchema } from './platforms/destination.ts';
import { idSchema } from './primitives.ts';
import { sentFilesSchema } from './releases.ts';

/** The steps of a new deployment, in order; a further release makes no deployment. */
export const PREFLIGHT_STEPS = ['create', 'send', 'publish', 'verify', 'domain', 'certificate'] as const;

/** `unknown`: a decisive party did not answer; `absent`: the step would not happen. */
export const PREFLIGHT_VERDICTS = ['pass', 'refused', 'unknown', 'absent'] as const;

/** A new deployment with its domain. */
const newDeploymentSchema = z.extend(z.omit(createDeploymentInput, { idempotencyKey: true }), {
  domain: z.optional(addDomainInput.shape.name),
  files: z.optional(sentFilesSchema),
});
/** An existing deployment, for a further release. */
const furtherReleaseSchema = z.strictObject({ deploymentId: idSchema, files: z.optional(sentFilesSchema) });

export const preflightInput = z.union([furtherReleaseSchema, newDeploymentSchema]);

const preflightStepSchema = z.strictObject({
  step: z.enum(PREFLIGHT_STEPS),
  verdict: z.enum(PREFLIGHT_VERDICTS),
  /** Sentences about what would be done and sent, and to whom. */
  lines: z.array(z.string()),
  /** The error that the real step would return, or why that is not known. */
  problem: z.nullable(z.omit(shownErrorSchema, { raw: true })),
});
export const preflightSchema = z.strictObject({ steps: z.array(preflightStepSchema) });

export type PreflightInput = z.infer<typeof preflightInput>;
export type NewDeploymentPreflight = z.infer<typeof newDeploymentSchema>;
export type FurtherReleasePreflight = z.infer<typeof furtherReleaseSchema>;
export type PreflightStep = z.infer<typeof preflightStepSchema>;
export type Preflight = z.infer<typeof preflightSchema>;
