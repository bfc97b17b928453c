import { getContact, sendContact } from '../server/account/contact.ts';
import { contactSchema, sendContactInput } from './schemas/contact.ts';
import { doneSchema, emptyInput } from './schemas/primitives.ts';
import { publicProcedure, publicWriteProcedure, router } from './trpc.ts';

export const contactRouter = router({
  get: publicProcedure
    .input(emptyInput)
    .output(contactSchema)
    .query(({ ctx }) => getContact(ctx)),

  send: publicWriteProcedure
    .input(sendContactInput)
    .output(doneSchema)
    .mutation(({ ctx, input }) => sendContact(ctx, input)),
});
