/**
 * Findings from the spelling of a domain. They are no evidence on their own: they only decide whether
 * a listing by a single big list, which is sometimes wrong, is believed.
 */
import { getPublicSuffix } from 'tldts'

export type NameFinding = 'throwaway_word' | 'formerly_free_ending' | 'machine_made_name'

/** Only counts next to a word for mail: "tempo", "dropbox" and "canon" are honest names. */
const SHORT_LIVED =
  '(?:temp|trash|throw|dispos|discard|burner|guerr?illa|fake|spam|junk|drop|anon|minutes?|min|instant)'
const THROWAWAY_WORDS = new RegExp(
  `mailinator|yopmail|${SHORT_LIVED}[a-z-]{0,6}(?:mail|inbox)|(?:mail|inbox)-?${SHORT_LIVED}`,
)

/** Registration was free until 2023, and is still the cheapest of all. */
const FORMERLY_FREE = new Set(['tk', 'ml', 'ga', 'cf', 'gq'])

/** @param registrableDomain in ASCII form @returns undefined when the name is inconspicuous */
export function describeDomainName(registrableDomain: string): NameFinding | undefined {
  const suffix = getPublicSuffix(registrableDomain, { allowPrivateDomains: true }) ?? ''
  const name = registrableDomain.slice(0, -suffix.length - 1)
  if (THROWAWAY_WORDS.test(name)) return 'throwaway_word'
  if (FORMERLY_FREE.has(suffix.split('.').at(-1) ?? '')) return 'formerly_free_ending'
  return isMachineMade(name) ? 'machine_made_name' : undefined
}

/** No vowel, letters alternating with digits, or mostly digits. A-labels are not judged. */
function isMachineMade(name: string): boolean {
  if (name.startsWith('xn--') || name.length < 5) return false
  const digits = name.replaceAll(/[^0-9]/g, '').length
  const switches = name.match(/[a-z](?=[0-9])|[0-9](?=[a-z])/g)?.length ?? 0
  return !/[aeiouy]/.test(name) || digits * 2 > name.length || switches >= 3
}
