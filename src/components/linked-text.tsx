/** Matches up to the first blank, without punctuation at the end. */
const ADDRESS = /(https:\/\/\S*[^\s.,;:!?)])/;

/** A sentence whose addresses are links: a platform's demand is often settled on a page of its own. */
export function LinkedText({ text }: { text: string }) {
  // Every second part is an address.
  return text.split(ADDRESS).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <a
        key={part}
        href={part}
        target="_blank"
        rel="noreferrer"
        className="text-accent underline underline-offset-2 wrap-anywhere"
      >
        {part.replace('https://', '')}
      </a>
    ),
  );
}
