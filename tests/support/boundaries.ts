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

const ORDER_BOUNDARIES = ['certificate:begun', 'certificate:placed', 'certificate:ordered'] as const;
const PROOF_BOUNDARIES = [
  'certificate:answerable',
  'certificate:answered',
  'certificate:validated',
  'certificate:proved',
  'certificate:signed',
  'certificate:stored',
] as const;

/** The same in the work on a certificate: its key is kept, ordered, and so on until it is kept to be served. */
export const CERTIFICATE_BOUNDARIES = [...ORDER_BOUNDARIES, ...PROOF_BOUNDARIES] as const;

/** The boundaries of a proof by DNS, where the answer is written into the zone in between. */
export const DNS_CERTIFICATE_BOUNDARIES = [
  ...ORDER_BOUNDARIES,
  'certificate:challenge-kept',
  'certificate:challenge-written',
  ...PROOF_BOUNDARIES,
] as const;

/** The same in the work on a record plan: nothing is written yet, the provider has it, it was seen there, it is kept. */
export const DNS_CHANGE_BOUNDARIES = [
  'dns-change:begun',
  'dns-change:sent',
  'dns-change:written',
  'dns-change:ended',
] as const;
