import { moveDomains } from '../server/domains/move.ts';
import {
  addDestination,
  checkAddress,
  createDeployment,
  dismissLeftSite,
  getDeployment,
  listDeployments,
  listLeftSites,
  listPlatforms,
  makePrimary,
  removeDeployment,
  removeDestination,
  retryDestination,
  updateDeployment,
} from '../server/publishing/deployments/index.ts';
import { rollBackDeployment } from '../server/publishing/releases/index.ts';
import { runPreflight } from '../server/simulation/preflight.ts';
import {
  addDestinationInput,
  addressCheckSchema,
  checkAddressInput,
  createDeploymentInput,
  deploymentListSchema,
  deploymentPlatformsSchema,
  deploymentSchema,
  dismissLeftSiteInput,
  getDeploymentInput,
  leftSitesSchema,
  listDeploymentsInput,
  makePrimaryInput,
  removeDeploymentInput,
  removeDestinationInput,
  retryDestinationInput,
  rollBackDeploymentInput,
  updateDeploymentInput,
} from './schemas/deployments.ts';
import { preflightInput, preflightSchema } from './schemas/preflight.ts';
import { doneSchema, emptyInput } from './schemas/primitives.ts';
import { protectedProcedure, router, writeProcedure } from './trpc.ts';

export const deploymentsRouter = router({
  list: protectedProcedure
    .input(listDeploymentsInput)
    .output(deploymentListSchema)
    .query(({ ctx, input }) => listDeployments(ctx, input)),

  platforms: protectedProcedure
    .input(emptyInput)
    .output(deploymentPlatformsSchema)
    .query(({ ctx }) => listPlatforms(ctx)),

  get: protectedProcedure
    .input(getDeploymentInput)
    .output(deploymentSchema)
    .query(({ ctx, input }) => getDeployment(ctx, input)),

  checkAddress: protectedProcedure
    .input(checkAddressInput)
    .output(addressCheckSchema)
    .query(({ ctx, input }) => checkAddress(ctx, input)),

  preflight: writeProcedure
    .input(preflightInput)
    .output(preflightSchema)
    .mutation(({ ctx, input }) => runPreflight(ctx, input)),

  create: writeProcedure
    .input(createDeploymentInput)
    .output(deploymentSchema)
    .mutation(({ ctx, input }) => createDeployment(ctx, input)),

  update: writeProcedure
    .input(updateDeploymentInput)
    .output(deploymentSchema)
    .mutation(({ ctx, input }) => updateDeployment(ctx, input)),

  rollBack: writeProcedure
    .input(rollBackDeploymentInput)
    .output(deploymentSchema)
    .mutation(({ ctx, input }) => rollBackDeployment(ctx, input)),

  addDestination: writeProcedure
    .input(addDestinationInput)
    .output(deploymentSchema)
    .mutation(({ ctx, input }) => addDestination(ctx, input)),

  removeDestination: writeProcedure
    .input(removeDestinationInput)
    .output(deploymentSchema)
    .mutation(({ ctx, input }) => removeDestination(ctx, input)),

  retryDestination: writeProcedure
    .input(retryDestinationInput)
    .output(deploymentSchema)
    .mutation(({ ctx, input }) => retryDestination(ctx, input)),

  makePrimary: writeProcedure
    .input(makePrimaryInput)
    .output(deploymentSchema)
    .mutation(({ ctx, input }) => makePrimary(ctx, input, moveDomains)),

  remove: writeProcedure
    .input(removeDeploymentInput)
    .output(doneSchema)
    .mutation(({ ctx, input }) => removeDeployment(ctx, input)),

  leftSites: protectedProcedure
    .input(emptyInput)
    .output(leftSitesSchema)
    .query(({ ctx }) => listLeftSites(ctx)),

  dismissLeftSite: writeProcedure
    .input(dismissLeftSiteInput)
    .output(doneSchema)
    .mutation(({ ctx, input }) => dismissLeftSite(ctx, input)),
});
