/** The Retry-After header of responses (RFC 9110 section 10.2.3). */

const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*, .* GMT$/

/** @returns seconds from `now`, at least 0; undefined when the text is neither seconds nor a date */
export function retryAfterSeconds(text: string | null, now: Date): number | undefined {
  const value = (text ?? '').trim()
  if (/^\d{1,9}$/.test(value)) return Number(value)
  // Date.parse alone accepts many texts that are not HTTP dates.
  const at = HTTP_DATE.test(value) ? Date.parse(value) : Number.NaN
  if (Number.isNaN(at)) return undefined
  return Math.max(0, Math.ceil((at - now.getTime()) / 1000))
}
