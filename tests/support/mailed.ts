import { UserModel } from '../../server/database/models/account/user.ts';
import type { Person, TestApp } from './app.ts';

/** Returns the mails that are sent from now on by `act`. */
export async function mailsOf(app: TestApp, act: () => Promise<unknown>) {
  await app.jobs.drain();
  const before = app.outbox.length;
  await act();
  await app.jobs.drain();
  return app.outbox.slice(before);
}

/** Returns the one-time token of the link in a mail. */
export function tokenIn(mail: { text: string } | undefined, path: string): string {
  const link = new RegExp(`^http://localhost:3000${path}#token=([A-Za-z0-9_-]{43})$`, 'm').exec(mail?.text ?? '');
  if (link?.[1] === undefined) throw new Error(`There is no link to ${path} in: ${mail?.text}`);
  return link[1];
}

export async function resetTokenFor(app: TestApp, email: string): Promise<string> {
  const [mail] = await mailsOf(app, () => app.anonymous().auth.forgotPassword({ email }));
  return tokenIn(mail, '/auth/reset');
}

/** Returns a person whose address is confirmed, so that it gets the link that stops a change. */
export async function confirmedPerson(app: TestApp): Promise<Person> {
  const person = await app.person();
  await UserModel.updateOne({ _id: person.user.id }, { $set: { emailConfirmedAt: app.clock.now() } });
  return person;
}

/** Asks for another address; gives the tokens of the link to it and of the link that stops it. */
export async function askForEmail(
  app: TestApp,
  { caller, password }: Pick<Person, 'caller' | 'password'>,
  email: string,
): Promise<{ confirm: string; stop: string }> {
  const mails = await mailsOf(app, () => caller.auth.changeEmail({ email, currentPassword: password }));
  const mailOf = (kind: string) => mails.find((mail) => mail.kind === kind);
  return {
    confirm: tokenIn(mailOf('confirm-email'), '/auth/confirm'),
    stop: tokenIn(mailOf('stop-email-change'), '/auth/stop-email-change'),
  };
}
