/** Matches up to the first blank, quote or bracket that no address holds, without punctuation at the end. */
const ADDRESS = /(https:\/\/[^\s"'`<>[\]{}]*[^\s"'`<>[\]{}.,;:!?)])/;

type LinkedTextProps = {
  text: string;
  /** A host name, which is set in its own face wherever a word of the text holds it. */
  name?: string | undefined;
  /** True in a log, which is shown to the letter. */
  isVerbatim?: boolean;
};

/** A text whose addresses are links: a platform's demand is often settled on a page of its own. */
export function LinkedText({ text, name, isVerbatim = false }: LinkedTextProps) {
  // Every second part is an address.
  return text.split(ADDRESS).map((part, index) =>
    index % 2 === 0 ? (
      name === undefined ? (
        part
      ) : (
        withName(part, name)
      )
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

function withName(text: string, name: string) {
  return text.split(/( )/).map((word, index) =>
    word.includes(name) ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: as above
      <span key={index} className="font-mono wrap-anywhere">
        {word}
      </span>
    ) : (
      word
    ),
  );
}
