import type { Limits } from '../../server/service-context.ts';

/** Wide enough that a test meets a limit only when it brings its own. */
export const WIDE_LIMITS: Limits = {
  isAddressCounted: false,
  callsPerMinute: 1_000_000,
  anonymousCallsPerMinute: 1_000_000,
  failuresPerAddress: { count: 30, windowMs: 600_000 },
  freeFailuresPerUsernameAndAddress: 5,
  failuresPerUsername: { count: 20, windowMs: 900_000 },
  registrationsPerHour: 10,
  forgotPasswordPerHour: { perAccount: 3, perAddress: 10 },
  feedbackPerHour: 20,
  contactPerHour: 20,
  uploadBytesPerDay: 10 * 1024 ** 3,
  accountBytes: 10 * 1024 ** 3,
  accountFiles: 200_000,
  listedFiles: 10_000_000,
  variantBytes: 5 * 1024 ** 3,
  asksForConfirmedEmail: false,
  atFirst: { uploadBytesPerDay: 200 * 1024 ** 2, accountBytes: 100 * 1024 ** 2, accountFiles: 20_000 },
  uploadsAtOnce: 8,
  downloadsAtOnce: { perAccount: 2, perProcess: 8 },
  slowestDownload: { bytesPerSecond: 64 * 1024, patienceMs: 30_000 },
  socketsPerAccount: 10,
  socketsPerAddress: 50,
  accessTokenSeconds: 900,
  minFreeDiskBytes: 0,
};
