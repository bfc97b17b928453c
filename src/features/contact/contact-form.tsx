import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { type SendContactInput, sendContactInput } from '../../../routers/schemas/contact.ts';
import { applyFieldErrors, errorToast } from '../../api/errors.ts';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/fields/field.tsx';
import { Input } from '../../components/fields/input.tsx';
import { Textarea } from '../../components/fields/textarea.tsx';
import { showToast } from '../../components/overlays/toast-store.ts';
import { useSubmitOnce } from '../../components/overlays/use-submit-once.ts';
import { forgetFormDraft, readFormDraft, useFormDraft } from '../../lib/storage/form-draft.ts';

const DRAFT = 'contact';
const empty = { name: '', email: '', message: '' };

/** The Quick Contact Form; it confirms on the screen. */
export function ContactForm() {
  const [isSent, setSent] = useState(false);
  const form = useForm({
    resolver: standardSchemaResolver(sendContactInput),
    mode: 'onTouched',
    defaultValues: readFormDraft(DRAFT, empty),
  });
  useFormDraft(DRAFT, empty, form);
  const { errors, isSubmitting } = form.formState;

  async function send(input: SendContactInput): Promise<void> {
    try {
      const { trpcClient } = await import('../../api/trpc.ts');
      await trpcClient.contact.send.mutate(input);
    } catch (error) {
      if (!applyFieldErrors(error, ['name', 'email', 'message'], form.setError)) {
        showToast(errorToast('The message was not sent', error));
      }
      return;
    }
    form.reset(empty);
    forgetFormDraft(DRAFT);
    setSent(true);
  }
  const submit = useSubmitOnce(isSubmitting, form.handleSubmit(send));

  if (isSent) {
    return (
      <div role="status" className="flex flex-col items-start gap-3">
        <p className="font-medium">We have your message.</p>
        <p className="text-ink-muted">We will reply to the email address that you entered.</p>
        <Button onClick={() => setSent(false)}>Write another message</Button>
      </div>
    );
  }
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Name" error={errors.name?.message}>
          <Input {...form.register('name')} autoComplete="name" />
        </Field>
        <Field label="Email" error={errors.email?.message}>
          <Input {...form.register('email')} type="email" autoComplete="email" spellCheck={false} />
        </Field>
      </div>
      <Field label="Message" error={errors.message?.message}>
        <Textarea {...form.register('message')} rows={5} />
      </Field>
      <Button type="submit" variant="primary" isBusy={isSubmitting} busyLabel="Sending…" className="self-start">
        Send Message
      </Button>
    </form>
  );
}
