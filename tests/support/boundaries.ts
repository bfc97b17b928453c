import { RELEASE_STEPS } from '../../routers/schemas/states.ts';

/** Says where a test can end the process in the work on a release, in the order of that work: `providers.faults.at`. */
export const RELEASE_BOUNDARIES = [
  ...RELEASE_STEPS.flatMap((step) => [`${step}:start`, `${step}:end`]),
  'publishing:site',
  'publishing:ref',
  'verifying:seen',
  'verifying:switched',
  'release:ended',
] as const;

export const REMOVAL_BOUNDARY = 'removing:platform';
