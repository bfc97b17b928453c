import * as z from 'zod/mini';
import { certificateSchema } from './certificates.ts';
import { reportSchema } from './diagnostics.ts';
import { domainSchema } from './domains.ts';
import { HOSTING_PLATFORMS } from './platforms/ids.ts';
import { preflightFilesSchema } from './preflight.ts';
import { releaseDetailSchema, releaseHandOffSchema } from './releases.ts';
import { RELEASE_STEPS } from './states.ts';

/** Where a deployment can be played through. */
export const SIMULATED_PLACES = ['built-in', ...HOSTING_PLATFORMS] as const;

/** The steps in which something can go wrong, in their order. */
export const SIMULATED_STEPS = [...RELEASE_STEPS, 'domain', 'dns', 'certificate', 'checks'] as const;

const place = { platform: z.enum(SIMULATED_PLACES), withDomain: z.boolean() };
const FAILURE_ID_MAX = 60;
const failureIdSchema = z.string().check(z.maxLength(FAILURE_ID_MAX));

export const listSimulatedFailuresInput = z.strictObject(place);
export const simulatedFailuresSchema = z.array(
  z.strictObject({
    id: failureIdSchema,
    step: z.enum(SIMULATED_STEPS),
    /** The very sentence that a person would read. */
    message: z.string(),
  }),
);

/** `failure`: one of those that the list names; without it everything goes well. `files`: only their size is told. */
export const runSimulationInput = z.strictObject({
  ...place,
  failure: z.optional(failureIdSchema),
  files: z.optional(preflightFilesSchema),
});

/**
 * How everything stood at a moment, in the words of the real answers, so that the real screens show it. The release says
 * of itself that its platform is `simulated`.
 */
const simulatedSceneSchema = z.strictObject({
  atMs: z.number(),
  release: releaseDetailSchema,
  domain: z.nullable(domainSchema),
  certificate: z.nullable(certificateSchema),
  /** What is left to the person there. */
  handOff: z.nullable(z.pick(releaseHandOffSchema, { steps: true })),
  /** It goes on once the person has said that it is done. */
  isHeld: z.boolean(),
  /** The checks at the end, as far as they have come. */
  report: z.nullable(reportSchema),
});
export const simulationSchema = z.strictObject({ scenes: z.array(simulatedSceneSchema) });

export type SimulatedPlace = (typeof SIMULATED_PLACES)[number];
export type SimulatedStep = (typeof SIMULATED_STEPS)[number];
export type ListSimulatedFailuresInput = z.infer<typeof listSimulatedFailuresInput>;
export type SimulatedFailure = z.infer<typeof simulatedFailuresSchema>[number];
export type RunSimulationInput = z.infer<typeof runSimulationInput>;
export type SimulatedScene = z.infer<typeof simulatedSceneSchema>;
export type Simulation = z.infer<typeof simulationSchema>;
