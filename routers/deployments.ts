import {
  checkAddress,
  createDeployment,
  getDeployment,
  listDeployments,
  removeDeployment,
  rollBackDeployment,
  updateDeployment,
} from '../server/services/deployments/index.ts';
import {
  addressCheckSchema,
  checkAddressInput,
  createDeploymentInput,
  deploymentListSchema,
  deploymentSchema,
  getDeploymentInput,
  listDeploymentsInput,
  removeDeploymentInput,
  rollBackDeploymentInput,
  updateDeploymentInput,
} from './schemas/deployments.ts';
import { doneSchema } from './schemas/primitives.ts';
import { protectedProcedure, router, writeProcedure } from './trpc.ts';

export const deploymentsRouter = router({
  list: protectedProcedure
    .input(listDeploymentsInput)
    .output(deploymentListSchema)
    .query(({ ctx, input }) => listDeployments(ctx, input)),

  get: protectedProcedure
    .input(getDeploymentInput)
    .output(deploymentSchema)
    .query(({ ctx, input }) => getDeployment(ctx, input)),

  checkAddress: protectedProcedure
    .input(checkAddressInput)
    .output(addressCheckSchema)
    .query(({ ctx, input }) => checkAddress(ctx, input)),

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

  remove: writeProcedure
    .input(removeDeploymentInput)
    .output(doneSchema)
    .mutation(({ ctx, input }) => removeDeployment(ctx, input)),
});
