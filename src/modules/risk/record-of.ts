/** Creates an object with a value for each name, in their order. */
export function recordOf<Name extends string, T>(
  names: readonly Name[],
  of: (name: Name) => T,
): Record<Name, T> {
  const record: Partial<Record<Name, T>> = {}
  for (const name of names) record[name] = of(name)
  return record as Record<Name, T>
}
