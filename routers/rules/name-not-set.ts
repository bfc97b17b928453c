type Seen = {
  servedName: string;
  pointedNames: readonly string[];
  records: readonly { name: string; purpose: string; state: string }[];
};

/** Returns the name beside the main one that has no records; it may be without a second address, if it points here. */
export function nameNotSet({ servedName, pointedNames, records }: Seen): string | undefined {
  return records.find(
    ({ name, purpose, state }) =>
      purpose === 'route' && state === 'missing' && name !== servedName && !pointedNames.includes(name),
  )?.name;
}
