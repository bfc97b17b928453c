/** Matches up to the first blank, quote or bracket that no address holds, without punctuation at the end. */
const ADDRESS = /(https:\/\/[^\s"'`<>[\]{}]*[^\s"'`<>[\]{}.,;:!?)])/;

type LinkedTextProps = {
  text: string;
  /** True in a log, which is shown to the letter. */
  isVerbatim?: boolean;
};

/** A text whose addresses are links: a platform's demand is often settled on a page of its own. */
export function LinkedText({ text, isVerbatim = false }: LinkedTextProps) {
  // Every second part is an address.
  return text.split(ADDRESS).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <a
        // biome-ignore lint/suspicious/noArrayIndexKey: an address may be there twice, and the parts never move
        key={index}
        href={part}
        target="_blank"
        rel="noreferrer"
        className="text-accent underline underline-offset-2 wrap-anywhere"
      >
        {isVerbatim ? part : part.replace('https://', '')}
      </a>
    ),
  );
}
