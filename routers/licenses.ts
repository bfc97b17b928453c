import { listLicenses, redeemLicense, revokeLicense, transferLicense } from '../server/plans/licenses/index.ts';
import {
  licenseListSchema,
  redeemedLicenseSchema,
  redeemLicenseInput,
  revokeLicenseInput,
  transferLicenseInput,
  transferredLicenseSchema,
} from './schemas/licenses.ts';
import { emptyInput } from './schemas/primitives.ts';
import { protectedProcedure, router, sessionProcedure, writeProcedure } from './trpc.ts';

export const licensesRouter = router({
  list: protectedProcedure
    .input(emptyInput)
    .output(licenseListSchema)
    .query(({ ctx }) => listLicenses(ctx)),

  redeem: writeProcedure
    .input(redeemLicenseInput)
    .output(redeemedLicenseSchema)
    .mutation(({ ctx, input }) => redeemLicense(ctx, input)),

  transfer: sessionProcedure
    .input(transferLicenseInput)
    .output(transferredLicenseSchema)
    .mutation(({ ctx, input }) => transferLicense(ctx, input)),

  revoke: sessionProcedure
    .input(revokeLicenseInput)
    .output(redeemedLicenseSchema)
    .mutation(({ ctx, input }) => revokeLicense(ctx, input)),
});
