/** @returns id of the case to open when a decided one leaves the list; '' after the last one */
export function nextCase(ids: readonly string[], decided: string): string {
  const at = ids.indexOf(decided)
  return ids[at + 1] ?? ids[at - 1] ?? ''
}
