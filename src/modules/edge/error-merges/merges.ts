/** Groups of errors that members merged. Pure. */

/** The group of each fingerprint that was merged into another. No group is merged further. */
export type Merges = ReadonlyMap<string, string>

export const groupOf = (merges: Merges, fingerprint: string): string =>
  merges.get(fingerprint) ?? fingerprint

/** The fingerprints of which the groups consist. */
export function membersOf(merges: Merges, groups: readonly string[]): string[] {
  const wanted = new Set(groups)
  const members = new Set(groups)
  for (const [fingerprint, into] of merges) if (wanted.has(into)) members.add(fingerprint)
  return [...members]
}

/**
 * The rows to write so that a group becomes part of another: those that were merged into it follow.
 *
 * @returns undefined if both are the same group
 */
export function mergeOf(
  merges: Merges,
  { fingerprint, into }: { fingerprint: string; into: string },
): { fingerprints: string[]; into_fingerprint: string } | undefined {
  const source = groupOf(merges, fingerprint)
  const target = groupOf(merges, into)
  if (source === target) return undefined
  return { fingerprints: membersOf(merges, [source]), into_fingerprint: target }
}
