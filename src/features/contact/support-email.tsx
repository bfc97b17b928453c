import { type ReactNode, useEffect, useState } from 'react';
import { Link } from 'wouter';
import { isPlaceholder } from '../../../routers/rules/support-address.ts';
import { paths } from '../../lib/paths/paths.ts';

/** The part of About with the form, as in `/about#contact-form`. */
export const CONTACT_FORM = 'contact-form';

/** Returns the support address; null while it is not known. */
function useSupportEmail(): string | null {
  const [address, setAddress] = useState<string | null>(null);

  useEffect(() => {
    let isCurrent = true;
    async function ask(): Promise<void> {
      const { trpcClient } = await import('../../api/trpc.ts');
      const { supportEmail } = await trpcClient.contact.get.query();
      if (isCurrent) setAddress(supportEmail);
    }
    // The form below reports when the server cannot be reached.
    ask().catch(() => {});
    return () => {
      isCurrent = false;
    };
  }, []);

  return address;
}

const LINK = 'font-medium text-accent underline underline-offset-4 wrap-anywhere';

/** Asks to write to the support address, or to use the form below where none is set. */
export function WriteToUs() {
  const address = useSupportEmail();
  if (address !== null && isPlaceholder(address)) return 'Use the form below';
  return (
    <>
      Write to <EmailLink address={address} />
    </>
  );
}

/** Leads to the support address, or to the form of About where none is set. */
export function SupportLink() {
  const address = useSupportEmail();
  if (address === null || !isPlaceholder(address)) return <EmailLink address={address} />;
  return <ContactLink>Contact form</ContactLink>;
}

/** Leads to the form, whose messages the operator gets. */
export function ContactLink({ children }: { children: ReactNode }) {
  return (
    <Link to={`${paths.about}#${CONTACT_FORM}`} className={LINK}>
      {children}
    </Link>
  );
}

/** Shows the address as a link; its place is reserved, and stays empty without an answer. */
function EmailLink({ address }: { address: string | null }) {
  if (address === null) return <span className="inline-block h-4 w-44 rounded-tight bg-surface-sunken align-middle" />;
  return (
    <a href={`mailto:${address}`} className={LINK}>
      {address}
    </a>
  );
}

/** Says what becomes of a message where no support address is set. */
export function SupportNote() {
  const address = useSupportEmail();
  if (address === null || !isPlaceholder(address)) return null;
  return (
    <p className="mt-2 text-sm text-ink-muted">
      This Fairlead has no support address yet: {address} is only a placeholder. Messages from the form are kept for
      whoever runs it.
    </p>
  );
}
