/**
 * All mail leaves through this interface. By default it is kept in an outbox under DATA_DIR (mode 0600) that `fairlead
 * outbox` lists; the log names kind and recipient only, since the text may hold a one-time link. The job `send-mail`
 * calls `deliver`, possibly twice for one mail: `id` stays the same.
 */
export type Mail = {
  id: string;
  kind: string;
  to: string;
  /** Replies go to this address, when it is not the sender. */
  replyTo?: string | undefined;
  subject: string;
  text: string;
  at: Date;
};

export interface Mailer {
  /** True when mails stay here and do not go to their recipients: a person who waits for one is shown where it is. */
  readonly keepsMail: boolean;
  deliver(mail: Mail): Promise<void>;
}
