/** @param local in the zone of the viewer @returns undefined for what is no time, such as in a link */
export function timeOf(local: string): string | undefined {
  const time = new Date(local)
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}
