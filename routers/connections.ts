import { authorizeConnection, finishAuthorization } from '../server/connections/authorize.ts';
import {
  connectProvider,
  listConnections,
  listTargets,
  replaceConnection,
  testConnection,
} from '../server/connections/index.ts';
import { removeConnection } from '../server/connections/remove.ts';
import {
  authorizationSchema,
  authorizeConnectionInput,
  connectInput,
  connectionListSchema,
  connectionSchema,
  finishAuthorizationInput,
  listTargetsInput,
  removeConnectionInput,
  replaceConnectionInput,
  targetListSchema,
  testConnectionInput,
} from './schemas/connections.ts';
import { doneSchema, emptyInput } from './schemas/primitives.ts';
import { protectedProcedure, router, sessionProcedure, writeProcedure } from './trpc.ts';

export const connectionsRouter = router({
  list: protectedProcedure
    .input(emptyInput)
    .output(connectionListSchema)
    .query(({ ctx }) => listConnections(ctx)),

  targets: protectedProcedure
    .input(listTargetsInput)
    .output(targetListSchema)
    .query(({ ctx, input }) => listTargets(ctx, input)),

  // Only a person may add or remove a credential: a leaked token must not publish under another account's.
  connect: sessionProcedure
    .input(connectInput)
    .output(connectionSchema)
    .mutation(({ ctx, input, signal }) => connectProvider(ctx, input, signal)),

  authorize: sessionProcedure
    .input(authorizeConnectionInput)
    .output(authorizationSchema)
    .mutation(({ ctx, input }) => authorizeConnection(ctx, input)),

  finishAuthorization: sessionProcedure
    .input(finishAuthorizationInput)
    .output(connectionSchema)
    .mutation(({ ctx, input }) => finishAuthorization(ctx, input)),

  replace: sessionProcedure
    .input(replaceConnectionInput)
    .output(connectionSchema)
    .mutation(({ ctx, input, signal }) => replaceConnection(ctx, input, signal)),

  test: writeProcedure
    .input(testConnectionInput)
    .output(connectionSchema)
    .mutation(({ ctx, input }) => testConnection(ctx, input)),

  remove: sessionProcedure
    .input(removeConnectionInput)
    .output(doneSchema)
    .mutation(({ ctx, input }) => removeConnection(ctx, input)),
});
