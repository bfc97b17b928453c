import { createToken, listTokens, revokeToken } from '../server/account/auth/tokens.ts';
import { doneSchema, emptyInput } from './schemas/primitives.ts';
import { createdTokenSchema, createTokenInput, revokeTokenInput, tokenListSchema } from './schemas/tokens.ts';
import { router, sessionProcedure } from './trpc.ts';

export const tokensRouter = router({
  list: sessionProcedure
    .input(emptyInput)
    .output(tokenListSchema)
    .query(({ ctx }) => listTokens(ctx)),

  create: sessionProcedure
    .input(createTokenInput)
    .output(createdTokenSchema)
    .mutation(({ ctx, input }) => createToken(ctx, input)),

  revoke: sessionProcedure
    .input(revokeTokenInput)
    .output(doneSchema)
    .mutation(({ ctx, input }) => revokeToken(ctx, input)),
});
