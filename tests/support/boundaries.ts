import { RELEASE_STEPS } from '../../routers/schemas/states.ts';

/** Points in the work on a release, in order, at which a test can end the process through `providers.faults.at`. */
export const RELEASE_BOUNDARIES = [
  ...RELEASE_STEPS.flatMap((step) => [`${step}:start`, `${step}:end`]),
  'publishing:site',
  'publishing:ref',
  'verifying:seen',
  'verifying:switched',
  'release:ended',
] as const;

export const REMOVAL_BOUNDARY = 'removing:platform';
