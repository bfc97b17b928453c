import * as z from 'zod/mini';
import { certificateSchema } from './certificates.ts';
import { reportSchema } from './diagnostics.ts';
import { domainSchema } from './domains.ts';
import { HOSTING_PLATFORMS } from './platforms/ids.ts';
import { releaseDetailSchema, releaseHandOffSchema, sentFilesSchema } from './releases.ts';
import { RELEASE_STEPS } from './states.ts';

/** The places for which a deployment can be simulated. */
export const SIMULATED_PLATFORMS = ['built-in', ...HOSTING_PLATFORMS] as const;

/** The steps in which something can go wrong, in order. */
export const SIMULATED_STEPS = [...RELEASE_STEPS, 'domain', 'dns', 'certificate', 'checks'] as const;

const deploymentFields = { platform: z.enum(SIMULATED_PLATFORMS), withDomain: z.boolean() };
const FAILURE_ID_MAX = 60;
const failureIdSchema = z.string().check(z.maxLength(FAILURE_ID_MAX));

export const listSimulatedFailuresInput = z.strictObject(deploymentFields);
export const simulatedFailuresSchema = z.array(
  z.strictObject({
    id: failureIdSchema,
    step: z.enum(SIMULATED_STEPS),
    /** The exact sentence that a person would read. */
    message: z.string(),
  }),
);

/** `failure`: one from the list; without it everything succeeds. `files`: only their size matters. */
export const runSimulationInput = z.strictObject({
  ...deploymentFields,
  failure: z.optional(failureIdSchema),
  files: z.optional(sentFilesSchema),
});

/**
 * The state of everything at one moment, in the form of the real answers, so that the real screens show it. The
 * platform of the release is `simulated`.
 */
const simulatedSceneSchema = z.strictObject({
  atMs: z.number(),
  release: releaseDetailSchema,
  domain: z.nullable(domainSchema),
  certificate: z.nullable(certificateSchema),
  /** The steps for the person there. */
  handOff: z.nullable(z.pick(releaseHandOffSchema, { steps: true })),
  /** True when it continues once the person has confirmed. */
  isHeld: z.boolean(),
  /** The checks at the end, so far. */
  report: z.nullable(reportSchema),
});
export const simulationSchema = z.strictObject({ scenes: z.array(simulatedSceneSchema) });

export type SimulatedPlatform = (typeof SIMULATED_PLATFORMS)[number];
export type SimulatedStep = (typeof SIMULATED_STEPS)[number];
export type ListSimulatedFailuresInput = z.infer<typeof listSimulatedFailuresInput>;
export type SimulatedFailure = z.infer<typeof simulatedFailuresSchema>[number];
export type RunSimulationInput = z.infer<typeof runSimulationInput>;
export type SimulatedScene = z.infer<typeof simulatedSceneSchema>;
export type Simulation = z.infer<typeof simulationSchema>;
