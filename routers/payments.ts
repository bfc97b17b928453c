import { openPortal } from '../server/plans/payments/customer.ts';
import { answerTest, checkout, getPayment, listPayments } from '../server/plans/payments/index.ts';
import {
  answerTestInput,
  checkoutInput,
  checkoutSchema,
  getPaymentInput,
  paymentListSchema,
  paymentSchema,
  portalSchema,
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

  portal: sessionProcedure
    .input(emptyInput)
    .output(portalSchema)
    .mutation(({ ctx }) => openPortal(ctx)),

  answerTest: sessionProcedure
    .input(answerTestInput)
    .output(paymentSchema)
    .mutation(({ ctx, input }) => answerTest(ctx, input)),
});
