import * as z from 'zod/mini';
import { CONTACT_MESSAGE_MAX, CONTACT_NAME_MAX } from './limits.ts';
import { withoutControlCharacters } from './primitives.ts';
import { emailSchema } from './user.ts';

/** The Quick Contact Form of the About page. */
export const sendContactInput = z.strictObject({
  name: z
    .string()
    .check(
      z.trim(),
      z.minLength(1, 'Enter your name'),
      z.maxLength(CONTACT_NAME_MAX, 'Name is too long'),
      z.regex(/^[^\p{Cc}\p{Cs}\u2028\u2029]*$/u, 'Name cannot contain control characters'),
      z.regex(/^[^\u202a-\u202e\u2066-\u2069]*$/, 'Name cannot contain marks that reverse the direction of text'),
    ),
  email: emailSchema,
  message: z
    .string()
    .check(
      z.trim(),
      z.minLength(1, 'Enter a message'),
      z.maxLength(CONTACT_MESSAGE_MAX, 'Message is too long'),
      withoutControlCharacters('Message cannot contain control characters'),
    ),
});

export const contactSchema = z.strictObject({
  supportEmail: z.string(),
  /** True when this Fairlead sends no mail, and keeps it in its outbox. */
  keepsMail: z.boolean(),
});

export type SendContactInput = z.infer<typeof sendContactInput>;
export type Contact = z.infer<typeof contactSchema>;
