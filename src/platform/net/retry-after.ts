/** The Retry-After header (RFC 9110 section 10.2.3), whoever sent it. */

const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*, .* GMT$/

/** Seconds from `now`, never negative; undefined when the text is neither seconds nor a date. */
export function retryAfterSeconds(text: string | null, now: Date): number | undefined {
  const given = (text ?? '').trim()
  if (/^\d{1,9}$/.test(given)) return Number(given)
  // Date.parse alone takes much that is no HTTP date.
  const at = HTTP_DATE.test(given) ? Date.parse(given) : Number.NaN
  if (Number.isNaN(at)) return undefined
  return Math.max(0, Math.ceil((at - now.getTime()) / 1000))
}
