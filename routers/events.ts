import { sendTestNotification, streamEvents } from '../server/account/event-stream.ts';
import { sendTestInput, streamInput } from './schemas/events.ts';
import { doneSchema } from './schemas/primitives.ts';
import { protectedProcedure, router, trackedItems, writeProcedure } from './trpc.ts';

export const eventsRouter = router({
  /** Sends tracked items, each checked against `streamItemSchema` before it leaves (server/account/event-stream.ts). */
  stream: protectedProcedure
    .input(streamInput)
    .subscription(({ ctx, input, signal }) => trackedItems(ctx, () => streamEvents(ctx, input, signal))),

  sendTest: writeProcedure
    .input(sendTestInput)
    .output(doneSchema)
    .mutation(({ ctx, input }) => sendTestNotification(ctx, input)),
});
