/** The ids with one of them moved by one place. */
export function moved(ids: readonly string[], at: number, by: -1 | 1): string[] {
  const id = ids[at]
  if (id === undefined) return [...ids]
  return ids.toSpliced(at, 1).toSpliced(Math.max(0, at + by), 0, id)
}
