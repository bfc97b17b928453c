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

/** The same in the work on a certificate: its key is kept, ordered, and so on until it is kept to be served. */
export const CERTIFICATE_BOUNDARIES = [
  'certificate:begun',
  'certificate:placed',
  'certificate:ordered',
  'certificate:answerable',
  'certificate:answered',
  'certificate:proved',
  'certificate:signed',
  'certificate:stored',
] as const;
