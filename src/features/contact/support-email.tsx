import { trpc } from '../../api/trpc.ts';

/** The address of the support as a link; its line is there before the address is. */
export function SupportEmail() {
  const { data } = trpc.contact.get.useQuery();
  if (data === undefined)
    return <span className="inline-block h-4 w-44 rounded-tight bg-surface-sunken align-middle" />;
  return (
    <a
      href={`mailto:${data.supportEmail}`}
      className="font-medium text-accent underline-offset-4 wrap-anywhere hover:underline"
    >
      {data.supportEmail}
    </a>
  );
}
