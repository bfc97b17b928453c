import { useEffect, useState } from 'react';

/** Shows the support address as a link; its line is reserved, and stays empty without an answer. */
export function SupportEmail() {
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

  if (address === null) return <span className="inline-block h-4 w-44 rounded-tight bg-surface-sunken align-middle" />;
  return (
    <a href={`mailto:${address}`} className="font-medium text-accent underline underline-offset-4 wrap-anywhere">
      {address}
    </a>
  );
}
