/**
 * What the letters of a domain give away. Never evidence by itself: it only tells whether a listing
 * by one big list, which errs now and then, is believed.
 */
import { getPublicSuffix } from 'tldts'

export type NameFinding = 'throwaway_word' | 'formerly_free_ending' | 'machine_made_name'

/** Next to a word for mail only: "tempo", "dropbox" and "canon" are honest names. */
const SHORT_LIVED =
  '(?:temp|trash|throw|dispos|discard|burner|guerr?illa|fake|spam|junk|drop|anon|minutes?|min|instant)'
const THROWAWAY_WORDS = new RegExp(
  `mailinator|yopmail|${SHORT_LIVED}[a-z-]{0,6}(?:mail|inbox)|(?:mail|inbox)-?${SHORT_LIVED}`,
)

/** Registered in bulk for nothing until 2023, and still the cheapest there are. */
const FORMERLY_FREE = new Set(['tk', 'ml', 'ga', 'cf', 'gq'])

/** `registrableDomain` in ASCII form; undefined when the name looks like any other. */
export function describeDomainName(registrableDomain: string): NameFinding | undefined {
  const suffix = getPublicSuffix(registrableDomain, { allowPrivateDomains: true }) ?? ''
  const name = registrableDomain.slice(0, -suffix.length - 1)
  if (THROWAWAY_WORDS.test(name)) return 'throwaway_word'
  if (FORMERLY_FREE.has(suffix.split('.').at(-1) ?? '')) return 'formerly_free_ending'
  return isMachineMade(name) ? 'machine_made_name' : undefined
}

/** No vowel at all, or letters and digits taking turns, or mostly digits; A-labels are not judged. */
function isMachineMade(name: string): boolean {
  if (name.startsWith('xn--') || name.length < 5) return false
  const digits = name.replaceAll(/[^0-9]/g, '').length
  const turns = name.match(/[a-z](?=[0-9])|[0-9](?=[a-z])/g)?.length ?? 0
  return !/[aeiouy]/.test(name) || digits * 2 > name.length || turns >= 3
}
