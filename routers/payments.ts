import { answerTest, checkout, getPayment, listPayments } from '../server/services/payments/index.ts';
import {
  answerTestInput,
  checkoutInput,
  checkoutSchema,
  getPaymentInput,
  paymentListSchema,
  paymentSchema,
} from './schemas/payments.ts';
import { emptyInput } from './schemas/primitives.ts';
import { protectedProcedure, router, sessionProcedure, writeProcedure } from './trpc.ts';

export const paymentsRouter = router({
  list: protectedProcedure
    .input(emptyInput)
    .output(paymentListSchema)
    .query(({ ctx }) => listPayments(ctx)),

  get: protectedProcedure
    .input(getPaymentInput)
    .output(paymentSchema)
    .query(({ ctx, input }) => getPayment(ctx, input)),

  checkout: writeProcedure
    .input(checkoutInput)
    .output(checkoutSchema)
    .mutation(({ ctx, input }) => checkout(ctx, input)),

  answerTest: sessionProcedure
    .input(answerTestInput)
    .output(paymentSchema)
    .mutation(({ ctx, input }) => answerTest(ctx, input)),
});
