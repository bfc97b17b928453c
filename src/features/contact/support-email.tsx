import { useEffect, useState } from 'react';

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

/** Shows the support address as a link; its line is reserved, and stays empty without an answer. */
export function SupportEmail() {
  const address = useSupportEmail();
  if (address === null) return <span className="inline-block h-4 w-44 rounded-tight bg-surface-sunken align-middle" />;
  return (
    <a href={`mailto:${address}`} className="font-medium text-accent underline underline-offset-4 wrap-anywhere">
      {address}
    </a>
  );
}

/** Says what becomes of a message where no support address is set: what stands in leads to this computer alone. */
export function SupportNote() {
  const address = useSupportEmail();
  if (address === null || !['@localhost', '@127.', '@['].some((end) => address.includes(end))) return null;
  return (
    <p className="mt-2 text-sm text-ink-muted">
      This Fairlead has no support address yet: {address} is only a placeholder. Messages from the form are kept for
      whoever runs it.
    </p>
  );
}
