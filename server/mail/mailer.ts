/**
 * All mail leaves through this interface. The default keeps it in an outbox under DATA_DIR (mode 0600) that `fairlead outbox`
 * lists; the log names kind and recipient only, since the text may hold a one-time link.
 * `deliver` is called by the job `send-mail`, possibly twice for one mail: `id` stays the same.
 */
export type Mail = {
  id: string;
  kind: string;
  to: string;
  /** An answer goes to this address, when that is not the sender. */
  replyTo?: string | undefined;
  subject: string;
  text: string;
  at: Date;
};

export interface Mailer {
  /** Whether mails stay here instead of going to their recipients: whoever waits for one is told where it is. */
  readonly keepsMail: boolean;
  deliver(mail: Mail): Promise<void>;
}
