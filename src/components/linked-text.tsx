/** Up to the first blank, without what ends the sentence. */
const ADDRESS = /(https:\/\/\S*[^\s.,;:!?)])/;

/** A sentence whose addresses can be followed: what a platform wants is often settled on a page of its own. */
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
